# made by tools/sources.sh
cli_sources = \
	cli/config.c \
	cli/doctor.c \
	cli/duration.c \
	cli/explain.c \
	cli/main.c \
	cli/options.c \
	cli/plan.c \
	cli/plugin.c \
	cli/print.c \
	cli/run-json.c \
	cli/run-pty.c \
	cli/run.c \
	cli/signals.c \
	cli/suggest.c \
	cli/version.c \
	cli/cli.h \
	cli/options.h \
	cli/print.h \
	cli/run.h \
	cli/signals.h
