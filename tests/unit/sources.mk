# made by tools/sources.sh
unit_tests =
unit_support =
