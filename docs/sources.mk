# made by tools/sources.sh
pages_1 = \
	docs/man/weir-config.1 \
	docs/man/weir-doctor.1 \
	docs/man/weir-explain.1 \
	docs/man/weir-plan.1 \
	docs/man/weir-plugin.1 \
	docs/man/weir-run.1 \
	docs/man/weir-version.1 \
	docs/man/weir.1 \
	plugins/landlock/weir-landlock-run.1
pages_5 = \
	docs/man/weir.conf.5 \
	plugins/bwrap/weir-bwrap.5 \
	plugins/custom_runner/weir-custom_runner.5 \
	plugins/landlock/weir-landlock.5 \
	plugins/local/weir-local.5
pages_7 = \
	sdk/weir-plugin.7
