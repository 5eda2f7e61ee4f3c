# made by tools/sources.sh
pages_1 =
pages_5 =
pages_7 =
