/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define K UINT64_C (1024)

static void
sizes (void **state)
{
  static const struct {
    const char *text;
    uint64_t bytes;
  } good[] = {
    { "0", 0 },        { "1", 1 },          { "1B", 1 },           { "7K", 7 * K },       { "7KiB", 7 * K },
    { "7KB", 7 * K },  { "10M", 10 * K * K }, { "3G", 3 * K * K * K }, { "2T", 2 * K * K * K * K },
    { "0010", 10 },    { "9223372036854775807", INT64_MAX }, { "8388607T", 8388607 * K * K * K * K },
  };
  static const char *const bad[] = {
    "",
    " ",
    "K",
    "-1",
    "+1",
    "1 K",
    " 1",
    "1 ",
    "1k",
    "1.5M",
    "1P",
    "1MM",
    "1iB",
    "1Ki",
    "1KiBB",
    "0x10",
    "1e3",
    "10M ",
    "9223372036854775808",
    "18446744073709551616",
    "99999999999999999999999",
    "8388608T",
    "18014398509481984K",
    "1\xff",
  };
  uint64_t v;

  (void) state;
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    v = 12345;
    assert_int_equal (units_size (good[i].text, &v), 0);
    assert_int_equal (v, good[i].bytes);
  }
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    v = 12345;
    if (units_size (bad[i], &v) == 0)
      fail_msg ("'%s' was accepted", bad[i]);
    assert_int_equal (v, 12345); /* a failure leaves no value behind */
  }
}

static void
durations (void **state)
{
  static const struct {
    const char *text;
    int64_t ms;
  } good[] = {
    { "0", 0 },         { "0s", 0 },          { "1ms", 1 },        { "5s", 5000 },     { "1m", 60000 },
    { "2h", 7200000 },  { "1d", 86400000 },   { "1h30m", 5400000 }, { "1m500ms", 60500 }, { "30m1h", 5400000 },
    { "9223372036854775807ms", INT64_MAX },
  };
  static const char *const bad[] = {
    "",
    "5",
    "-5s",
    "+5s",
    "s",
    "5 s",
    " 5s",
    "5s ",
    "1.5s",
    "5S",
    "5sec",
    "5min",
    "1h30",
    "1h-30m",
    "5mss",
    "5us",
    "1w",
    "9223372036854775808ms",
    "9223372036854775807s",
    "106751991168d",
    "9223372036854775807ms1ms",
    "00",
    "5s\n",
  };
  int64_t v;

  (void) state;
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    v = 12345;
    assert_int_equal (units_duration (good[i].text, &v), 0);
    assert_int_equal (v, good[i].ms);
  }
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    v = 12345;
    if (units_duration (bad[i], &v) == 0)
      fail_msg ("'%s' was accepted", bad[i]);
    assert_int_equal (v, 12345);
  }
}

/* What is printed reads as what it was.  */
static void
printed (void **state)
{
  static const uint64_t sizes[] = { 0, 1, 1023, 1024, 1536, 10 * K * K, K * K * K + 1, INT64_MAX };
  static const int64_t times[] = { 0, 1, 999, 1000, 61001, 5400000, 86400000, INT64_MAX };
  char text[48];

  (void) state;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    uint64_t v = 1;
    units_print_size (sizes[i], text);
    assert_int_equal (units_size (text, &v), 0);
    assert_int_equal (v, sizes[i]);
  }
  for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
    int64_t v = 1;
    units_print_duration (times[i], text);
    assert_int_equal (units_duration (text, &v), 0);
    assert_int_equal (v, times[i]);
  }
  units_print_size (10 * K * K, text);
  assert_string_equal (text, "10M");
  units_print_duration (5400000, text);
  assert_string_equal (text, "1h30m");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (sizes),
    cmocka_unit_test (durations),
    cmocka_unit_test (printed),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
