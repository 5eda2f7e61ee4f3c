/* Parsing of one file: core/config.c and its scanner.  */
/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/node.h"

#include "config-support.h"

static struct node *
parsed (const char *text)
{
  weir_error *err = NULL;
  struct node *root = NULL;

  expect_ok (config_parse_text ("t.conf", text, strlen (text), &root, &err), &err);
  assert_non_null (root);
  assert_int_equal (root->type, NODE_GROUP);
  return root;
}

static void
refused (const char *text, const char *part)
{
  weir_error *err = NULL;
  struct node *root = NULL;
  weir_status status = config_parse_text ("t.conf", text, strlen (text), &root, &err);

  if (status == WEIR_OK)
    print_error ("accepted: %s\n", text);
  expect_error (status, WEIR_E_INVALID, &err, part);
  assert_null (root);
}

static struct node *
parsed_file (const char *path, struct strv *files)
{
  weir_error *err = NULL;
  struct node *root = NULL;

  expect_ok (config_parse_file (path, open_anything, files, &root, &err), &err);
  return root;
}

static void
refused_file (const char *path, weir_status wanted, const char *part)
{
  auto_strv struct strv files = { 0 };
  weir_error *err = NULL;
  struct node *root = NULL;

  expect_error (config_parse_file (path, open_anything, &files, &root, &err), wanted, &err, part);
  assert_null (root);
}

static void
value (const struct node *root, const char *path, int type, const char *text, int64_t integer, const char *origin)
{
  const struct node *n = node_find (root, path);

  assert_non_null (n);
  assert_int_equal (n->type, type);
  if (text != NULL)
    assert_string_equal (n->text, text);
  assert_int_equal (n->integer, integer);
  if (origin != NULL)
    assert_string_equal (n->origin, origin);
}

static void
values (void **state UNUSED)
{
  static const char text[] = "# comment\n"                                              /* 1 */
                             "a = 1;\n"                                                 /* 2 */
                             "b : \"x \\\"y\\\" \\\\ \\x41\";\n"                        /* 3 */
                             "g : {\n"                                                  /* 4 */
                             "  on = TRUE;\n"                                           /* 5 */
                             "  big = 5000000000L;\n"                                   /* 6 */
                             "  least = -2147483648;\n"                                 /* 7 */
                             "  hex = 0x7fffffff;\n"                                    /* 8 */
                             "  real = -1.5e3;\n"                                       /* 9 */
                             "  /* more\n"                                              /* 10 */
                             "     lines \" */\n"                                       /* 11 */
                             "  inner = { z = \"q\"; };\n"                              /* 12 */
                             "};\n"                                                     /* 13 */
                             "joined = \"a\"\n  \"b\";\n"                               /* 14, 15 */
                             "empty = [];\n"                                            /* 16 */
                             "none = \"\" // end";                                      /* 17 */
  auto_node struct node *root = parsed (text);

  value (root, "a", NODE_INTEGER, NULL, 1, "t.conf:2");
  value (root, "b", NODE_STRING, "x \"y\" \\ A", 0, "t.conf:3");
  value (root, "g.on", NODE_BOOLEAN, NULL, 1, "t.conf:5");
  value (root, "g.big", NODE_INTEGER, NULL, INT64_C (5000000000), "t.conf:6");
  value (root, "g.least", NODE_INTEGER, NULL, INT32_MIN, "t.conf:7");
  value (root, "g.hex", NODE_INTEGER, NULL, INT32_MAX, "t.conf:8");
  value (root, "g.real", NODE_REAL, NULL, 0, "t.conf:9");
  value (root, "g.inner.z", NODE_STRING, "q", 0, "t.conf:12");
  value (root, "joined", NODE_STRING, "ab", 0, "t.conf:14");
  value (root, "empty", NODE_LIST, NULL, 0, "t.conf:16");
  value (root, "none", NODE_STRING, "", 0, "t.conf:17");
  assert_null (node_find (root, "g.inner.nothing"));
  assert_null (node_find (root, "a.b"));
}

/* libconfig tells the line of the token after a string.  */
static void
lines_of_items (void **state UNUSED)
{
  auto_node struct node *root = parsed ("l = [ \"one\",\n"
                                        "      \"two\"\n"
                                        "      ,\n"
                                        "      \"three\"\n"
                                        "\n"
                                        "    ];\n"
                                        "m = ( \"s\",\n"
                                        "  { k = \"v\"; }, ( \"deep\"\n"
                                        "  ),\n"
                                        "  \"last\"\n"
                                        "  \n"
                                        ");\n");
  const struct node *l = node_find (root, "l"), *m = node_find (root, "m");

  assert_int_equal (l->count, 3);
  assert_string_equal (l->items[0]->origin, "t.conf:1");
  assert_string_equal (l->items[1]->origin, "t.conf:2");
  assert_string_equal (l->items[2]->origin, "t.conf:4");
  assert_int_equal (m->count, 4);
  assert_string_equal (m->items[0]->origin, "t.conf:7");
  assert_string_equal (m->items[2]->items[0]->text, "deep");
  assert_string_equal (m->items[2]->items[0]->origin, "t.conf:8");
  assert_string_equal (m->items[3]->origin, "t.conf:10");
}

static void
nothing (void **state UNUSED)
{
  static const char *const texts[] = { "", "\n", "# only a comment", "\xef\xbb\xbf", "/**/", "\r\n\r\n" };

  for (size_t i = 0; i < ARRAY_SIZE (texts); i++) {
    auto_node struct node *root = parsed (texts[i]);
    assert_int_equal (root->count, 0);
  }
  auto_node struct node *root = parsed ("\xef\xbb\xbf" "a = 1; # \xc3\xa4\r\n");
  value (root, "a", NODE_INTEGER, NULL, 1, "t.conf:1");
}

static void
syntax_errors (void **state UNUSED)
{
  static const struct {
    const char *text, *part;
  } bad[] = {
    { "a", "t.conf:1: syntax error" },
    { "a = ;", "t.conf:1: syntax error" },
    { "a = 1;\nb c;\n", "t.conf:2: syntax error" },
    { "a = 1;\n\n}", "t.conf:3: '}' without its '{'" },
    { "a : {\n b = 1;\n", "'{' that is not closed" },
    { "a = [ 1, 2 );", "t.conf:1: ')' without its '('" },
    { "a = \"x\n\nb = 2;\n", "t.conf:1: string that does not end" },
    { "a = 1;\n/* x\ny\n", "t.conf:2: comment that does not end" },
    { "a = 1;\n$ = 2;\n", "t.conf:2: syntax error at '$'" },
    { "a = [ 1, \"x\" ];", "t.conf:1: mismatched element type in array" },
    { "a = 10M;", "t.conf:1: '10M' is no number; with a unit it is a string: \"10M\"" },
    { "\n\na = 5s;", "t.conf:3: '5s' is no number" },
    { "a = -;", "t.conf:1: syntax error at '-'" },
    { "a = \"\x01\";", "t.conf:1: control character 0x01" },
    { "a = 1;\nb = \"\x1b[31m\";", "t.conf:2: control character 0x1b" },
    { "@", "t.conf:1: syntax error at '@'" },
    { "a = [ \"x\"\n \"y\" ];", "t.conf:2: two strings in a list without a comma between them" },
    { "a = ( \"x\" /* , */ \"y\" );", "t.conf:1: two strings in a list" },
  };

  for (size_t i = 0; i < ARRAY_SIZE (bad); i++)
    refused (bad[i].text, bad[i].part);
}

static void
duplicates (void **state UNUSED)
{
  refused ("a = 1;\nb = 2;\na = 3;\n", "t.conf:3: duplicate setting name in 'a = 3;'");
  refused ("g : { x = 1; };\nh : {\n x = 1;\n x = 2; };\n", "t.conf:4: duplicate setting name");
  refused ("g : { x = 1; };\ng : { y = 1; };\n", "t.conf:2: duplicate setting name");
}

/* libconfig 1.5 wraps them: 5000000000 becomes 705032704.  */
static void
overflows (void **state UNUSED)
{
  static const char *const bad[] = {
    "5000000000", "2147483648", "-2147483649", "4294967295", "4294967296", "99999999999999999999", "0xFFFFFFFF",
    "0x80000000", "0x100000000", "9223372036854775808L", "-9223372036854775809L", "0xFFFFFFFFFFFFFFFFL",
    "0x8000000000000000L", "99999999999999999999999L",
  };
  static const struct {
    const char *text;
    int64_t number;
  } good[] = {
    { "2147483647", INT32_MAX }, { "-2147483648", INT32_MIN }, { "+7", 7 }, { "0x7FFFFFFF", INT32_MAX }, { "010", 10 },
    { "9223372036854775807L", INT64_MAX }, { "-9223372036854775808L", INT64_MIN }, { "5LL", 5 },
    { "0x7FFFFFFFFFFFFFFFL", INT64_MAX }, { "5000000000L", INT64_C (5000000000) },
  };
  char text[128];

  for (size_t i = 0; i < ARRAY_SIZE (bad); i++) {
    snprintf (text, sizeof text, "\na = %s;", bad[i]);
    refused (text, "t.conf:2: number ");
    snprintf (text, sizeof text, "a = [ 1, %s ];", bad[i]);
    refused (text, "is out of range");
  }
  for (size_t i = 0; i < ARRAY_SIZE (good); i++) {
    snprintf (text, sizeof text, "a = %s;", good[i].text);
    auto_node struct node *root = parsed (text);
    value (root, "a", NODE_INTEGER, NULL, good[i].number, "t.conf:1");
  }
  /* In strings and comments numbers are text.  */
  auto_node struct node *root = parsed ("a = \"5000000000\"; # 5000000000\n");
  value (root, "a", NODE_STRING, "5000000000", 0, NULL);
}

static void
encodings (void **state UNUSED)
{
  struct node *root = NULL;
  weir_error *err = NULL;

  refused ("a = 1;\nb = \"\xff\";", "t.conf:2: byte 0xff is not UTF-8");
  refused ("# \xc3\n", "t.conf:1: byte 0xc3 is not UTF-8");
  refused ("a = \"\xed\xa0\x80\";", "is not UTF-8"); /* a surrogate */
  refused ("a = \"\xc0\xaf\";", "is not UTF-8");     /* an overlong slash */
  refused ("a = \"\xf4\x90\x80\x80\";", "is not UTF-8");
  refused ("a = 1;\n\nb = \"\\xff\";", "t.conf:3: the string's byte 0xff is not UTF-8");
  refused ("b = [ \"x\",\n\"\\xc3\\x28\"\n];", "t.conf:2: the string's byte 0xc3 is not UTF-8");
  refused ("a = \"x\\x00y\";", "t.conf:1: a string cannot hold a NUL");
  expect_error (config_parse_text ("t.conf", "a = 1;\n\0b", 9, &root, &err), WEIR_E_INVALID, &err,
                "t.conf:2: control character 0x00");
  auto_node struct node *good = parsed ("a = \"\xe2\x82\xac \xf0\x9f\x8c\x8a \\xe2\\x82\\xac\";");
  value (good, "a", NODE_STRING, "\xe2\x82\xac \xf0\x9f\x8c\x8a \xe2\x82\xac", 0, NULL);
}

static void
bounds (void **state UNUSED)
{
  auto_strbuf struct strbuf b = { 0 };

  for (int i = 0; i < 32; i++)
    strbuf_str (&b, i == 0 ? "a = (" : "(");
  for (int i = 0; i < 32; i++)
    strbuf_str (&b, ")");
  auto_node struct node *root = parsed (b.data);
  assert_int_equal (root->count, 1);
  b.size = 0;
  strbuf_str (&b, "a = ");
  for (int i = 0; i < 33; i++)
    strbuf_str (&b, "(");
  refused (b.data, "brackets nested more than 32 deep");
  b.size = 0;
  for (int i = 0; i < 4097; i++)
    strbuf_fmt (&b, "k%d=1;", i);
  refused (b.data, "more than 4096 settings");
  b.size = 0;
  strbuf_str (&b, "#");
  while (b.size < 1u << 20)
    strbuf_str (&b, "0123456789abcdef");
  refused (b.data, "too large");
}

/* ---- files ------------------------------------------------------------------------------------------ */

static void
large_file (void **state UNUSED)
{
  size_t size = 10u << 20;
  char *bytes = malloc (size);

  memset (bytes, ' ', size);
  scratch_bytes ("big.conf", bytes, size);
  free (bytes);
  refused_file (scratch_path ("big.conf"), WEIR_E_INVALID,
                "big.conf' is too large: a configuration has at most 1048576 bytes");
}

static void
missing_file (void **state UNUSED)
{
  refused_file (scratch_path ("none.conf"), WEIR_E_NOT_FOUND, "none.conf");
}

static void
includes (void **state UNUSED)
{
  auto_strv struct strv files = { 0 };
  const char *main_file, *other;
  char origin[1200];

  assert_int_equal (mkdir (scratch_path ("d"), 0700), 0);
  other = scratch_file ("d/two.conf", "# two\nb = 2;\n");
  scratch_file ("d/three.conf", "x = \"no newline at the end\" # comment");
  main_file = scratch_file ("main.conf", "a = 1;\n"
                                         "  @include \"d/one.conf\" // comment\n"
                                         "c = 3;\n"
                                         "g : {\n"
                                         "@include \"d/three.conf\"\n"
                                         "  y = 1;\n"
                                         "};\n"
                                         "l = [ \"p\",\n \"q\"\n];\n");
  /* Relative to the file that it stands in, not to ours, and not to the working directory.  */
  scratch_file ("d/one.conf", "\n@include \"two.conf\"\nd = 4;");
  auto_node struct node *root = parsed_file (main_file, &files);

  value (root, "a", NODE_INTEGER, NULL, 1, NULL);
  snprintf (origin, sizeof origin, "%s:2", other);
  value (root, "b", NODE_INTEGER, NULL, 2, origin);
  snprintf (origin, sizeof origin, "%s:3", scratch_path ("d/one.conf"));
  value (root, "d", NODE_INTEGER, NULL, 4, origin);
  snprintf (origin, sizeof origin, "%s:3", main_file);
  value (root, "c", NODE_INTEGER, NULL, 3, origin);
  snprintf (origin, sizeof origin, "%s:1", scratch_path ("d/three.conf"));
  value (root, "g.x", NODE_STRING, "no newline at the end", 0, origin);
  snprintf (origin, sizeof origin, "%s:6", main_file);
  value (root, "g.y", NODE_INTEGER, NULL, 1, origin);
  snprintf (origin, sizeof origin, "%s:9", main_file);
  assert_string_equal (node_find (root, "l")->items[1]->origin, origin);
  assert_int_equal (files.count, 4);
  assert_true (strv_has (&files, other));
}

static void
wrong_includes (void **state UNUSED)
{
  static const struct {
    const char *text, *part;
  } bad[] = {
    { "a = 1; @include \"x\"\n", ":1: an @include stands alone in its line" },
    { "\n@include \"x\" b = 2;\n", ":2: an @include stands alone in its line" },
    { "a = [\n@include \"x\"\n];\n", ":2: an @include stands alone in its line" },
    { "@include x\n", ":1: expected a file name in quotes" },
    { "@include \"\"\n", ":1: expected a file name in quotes" },
    { "@include \"x\n\"\n", ":1: string that does not end" },
    { "@include \"a\\nb\"\n", ":1: only \\\\ and \\\" are escapes" },
    { "@included \"x\"\n", ":1: expected a file name in quotes" },
    { "\n\n@include \"missing.conf\"\n", ":3: @include \"missing.conf\": open '" },
    { "@include \"/nonexistent/missing.conf\"\n", ":1: @include \"/nonexistent/missing.conf\"" },
    { "a = 1;\n@include \"dup.conf\"\n", "dup.conf:2: duplicate setting name" },
    { "@include \"open.conf\"\n", "'{' that is not closed" },
    { "g : {\n@include \"close.conf\"\n", "close.conf:1: '}' without its '{'" },
    { "@include \"bad.conf\"\n", "bad.conf:2: byte 0xff is not UTF-8" },
    { "@include \"self.conf\"\n", "includes itself" },
    { "@include \"loop1.conf\"\n", "includes itself" },
    { "@include \"n0.conf\"\n", "includes nested more than 10 deep" },
    { "@include \".\"\n", "Is a directory" },
  };
  char name[32], text[64];

  scratch_file ("dup.conf", "b = 2;\na = 1;\n");
  scratch_file ("open.conf", "g : {\n");
  scratch_file ("close.conf", "}\n");
  scratch_file ("bad.conf", "\n\xff\n");
  scratch_file ("self.conf", "@include \"self.conf\"\n");
  scratch_file ("loop1.conf", "@include \"loop2.conf\"\n");
  scratch_file ("loop2.conf", "@include \"./loop1.conf\"\n");
  for (int i = 0; i < 12; i++) {
    snprintf (name, sizeof name, "n%d.conf", i);
    snprintf (text, sizeof text, "@include \"n%d.conf\"\n", i + 1);
    scratch_file (name, text);
  }
  for (size_t i = 0; i < ARRAY_SIZE (bad); i++)
    refused_file (scratch_file ("main.conf", bad[i].text),
                  strstr (bad[i].part, "directory") != NULL ? WEIR_E_IO : WEIR_E_INVALID, bad[i].part);
  refused ("@include \"/etc/weir.conf\"\n", "t.conf:1: @include is not possible here");
}

/* The bound is one for all files: many small includes of one large file do not get around it.  */
static void
large_includes (void **state UNUSED)
{
  size_t size = 400u << 10;
  char *bytes = malloc (size);

  memset (bytes, ' ', size);
  scratch_bytes ("part.conf", bytes, size);
  free (bytes);
  refused_file (scratch_file ("main.conf", "@include \"part.conf\"\n@include \"part.conf\"\n@include \"part.conf\"\n"),
                WEIR_E_INVALID, "is too large");
}

/* ---- merging ------------------------------------------------------------------------------------------ */

static void
merging (void **state UNUSED)
{
  auto_node struct node *base = parsed ("a = 1;\nl = [ \"x\", \"y\" ];\ng : { p = 1; q = 2; };\nh = 1;\n");
  struct node *over = parsed ("b = 2;\nl = [ \"z\" ];\ng : { q = 3; r = 4; };\nh : { i = 1; };\n");

  assert_int_equal (node_merge (base, over), 0);
  value (base, "a", NODE_INTEGER, NULL, 1, NULL);
  value (base, "b", NODE_INTEGER, NULL, 2, NULL);
  value (base, "g.p", NODE_INTEGER, NULL, 1, NULL);
  value (base, "g.q", NODE_INTEGER, NULL, 3, NULL);
  value (base, "g.r", NODE_INTEGER, NULL, 4, NULL);
  value (base, "h.i", NODE_INTEGER, NULL, 1, NULL);
  assert_int_equal (node_find (base, "l")->count, 1); /* lists replace */
  assert_string_equal (node_find (base, "l")->items[0]->text, "z");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (values),
    cmocka_unit_test (lines_of_items),
    cmocka_unit_test (nothing),
    cmocka_unit_test (syntax_errors),
    cmocka_unit_test (duplicates),
    cmocka_unit_test (overflows),
    cmocka_unit_test (encodings),
    cmocka_unit_test (bounds),
    cmocka_unit_test (merging),
    cmocka_unit_test_setup_teardown (large_file, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (missing_file, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (includes, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (wrong_includes, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (large_includes, scratch_begin, scratch_end),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
