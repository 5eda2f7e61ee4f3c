# made by tools/sources.sh
cli_sources =
