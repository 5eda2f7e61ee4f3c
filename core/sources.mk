# made by tools/sources.sh
core_sources = \
	core/error.c \
	core/log.c \
	core/out.c \
	core/sink.c \
	core/util.c \
	core/carry.h \
	core/classify.h \
	core/collect.h \
	core/error.h \
	core/exec.h \
	core/facts.h \
	core/log.h \
	core/out.h \
	core/plan-encoding.h \
	core/plan.h \
	core/plugins.h \
	core/policy.h \
	core/settings.h \
	core/sink.h \
	core/spawn.h \
	core/trust.h \
	core/units.h \
	core/util.h
