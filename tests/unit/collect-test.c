/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/quiet.h"

struct fixture {
  struct collect c;
  char dir[256];
  int in[2]; /* write ends */
};

static void
open_stream (struct fixture *f, int which)
{
  int ends[2];

  assert_int_equal (pipe2 (ends, O_CLOEXEC), 0);
  assert_int_equal (fcntl (ends[0], F_SETFL, O_NONBLOCK), 0);
  f->c.stream[which - 1].fd = ends[0];
  f->c.stream[which - 1].limit = 10;
  f->c.stream[which - 1].spill_limit = 1000;
  f->c.stream[which - 1].spill_dir = f->dir;
  f->in[which - 1] = ends[1];
}

static int
setup (void **state)
{
  struct fixture *f = calloc (1, sizeof *f);
  const char *tmp = getenv ("TMPDIR");

  assert_non_null (f);
  collect_init (&f->c);
  snprintf (f->dir, sizeof f->dir, "%.200s/weir-XXXXXX", tmp == NULL ? "/tmp" : tmp);
  assert_non_null (mkdtemp (f->dir));
  open_stream (f, 1);
  open_stream (f, 2);
  *state = f;
  return 0;
}

static int
teardown (void **state)
{
  struct fixture *f = *state;
  int gone;

  for (int i = 0; i < 2; i++)
    if (f->in[i] >= 0)
      close (f->in[i]);
  collect_free (&f->c);
  gone = rmdir (f->dir); /* fails when a spill file was left */
  free (f);
  return gone;
}

static void
put (struct fixture *f, int which, const char *text)
{
  assert_int_equal (write (f->in[which - 1], text, strlen (text)), (ssize_t) strlen (text));
  assert_int_equal (collect_read (&f->c, which), 0);
}

static void
end (struct fixture *f, int which)
{
  close (f->in[which - 1]);
  f->in[which - 1] = -1;
  assert_int_equal (collect_read (&f->c, which), 1);
}

static void
expect (struct fixture *f, int which, const char *text, uint64_t offset, uint64_t total)
{
  struct stream *s = &f->c.stream[which - 1];
  const char *data;
  size_t size;

  collect_linear (s, &data, &size);
  assert_int_equal (size, strlen (text));
  assert_memory_equal (data, text, size);
  assert_int_equal (s->offset, offset);
  assert_int_equal (s->total, total);
}

static void
expect_spill (struct fixture *f, int which, const char *text)
{
  struct stream *s = &f->c.stream[which - 1];
  auto_free char *bytes = NULL;
  struct stat st;
  size_t size;

  collect_seal (&f->c);
  if (text == NULL) {
    assert_null (s->spill_path);
    return;
  }
  assert_non_null (s->spill_path);
  assert_int_equal (stat (s->spill_path, &st), 0);
  assert_int_equal (st.st_mode & 07777, 0600);
  bytes = util_read_file (AT_FDCWD, s->spill_path, 1 << 20, &size);
  assert_non_null (bytes);
  assert_int_equal (size, strlen (text));
  assert_memory_equal (bytes, text, size);
}

static void
test_small (void **state)
{
  struct fixture *f = *state;

  put (f, 1, "abc");
  put (f, 1, "def");
  end (f, 1);
  expect (f, 1, "abcdef", 0, 6);
  expect (f, 2, "", 0, 0);
  expect_spill (f, 1, NULL);
}

static void
test_exactly_at_the_cap (void **state)
{
  struct fixture *f = *state;

  put (f, 1, "01234");
  put (f, 1, "56789");
  expect (f, 1, "0123456789", 0, 10);
  expect_spill (f, 1, NULL);
}

static void
test_tail_and_spill (void **state)
{
  struct fixture *f = *state;

  put (f, 1, "0123456");
  put (f, 1, "789a");
  put (f, 1, "b");
  put (f, 1, "cdefghi");
  expect (f, 1, "9abcdefghi", 9, 19);
  expect_spill (f, 1, "0123456789abcdefghi");
  expect (f, 1, "9abcdefghi", 9, 19);
}

/* Byte-exact whatever the chunks are.  */
static void
test_tail_of_every_chunking (void **state)
{
  static const char text[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  struct fixture *f = *state;

  for (size_t step = 1; step < sizeof text; step++) {
    struct stream *s = &f->c.stream[0];
    s->spill_dir = NULL;
    for (size_t i = 0; i < sizeof text - 1; i += step) {
      char part[64];
      snprintf (part, sizeof part, "%.*s", (int) step, text + i);
      put (f, 1, part);
    }
    expect (f, 1, text + sizeof text - 1 - 10, sizeof text - 1 - 10, sizeof text - 1);
    free (s->data);
    s->data = NULL;
    s->size = s->room = s->start = 0;
    s->total = s->offset = 0;
  }
}

static void
test_one_large_chunk (void **state)
{
  struct fixture *f = *state;

  put (f, 1, "0123456789abcdef");
  expect (f, 1, "6789abcdef", 6, 16);
  expect_spill (f, 1, "0123456789abcdef");
}

static void
test_head (void **state)
{
  struct fixture *f = *state;

  f->c.stream[0].keep_head = 1;
  put (f, 1, "01234567");
  put (f, 1, "89abc");
  put (f, 1, "def");
  expect (f, 1, "0123456789", 0, 16);
  expect_spill (f, 1, "0123456789abcdef");
}

static void
test_nothing_kept (void **state)
{
  struct fixture *f = *state;

  f->c.stream[0].limit = 0;
  f->c.stream[1].limit = 0;
  f->c.stream[1].keep_head = 1;
  put (f, 1, "abc");
  put (f, 2, "def");
  expect (f, 1, "", 3, 3);
  expect (f, 2, "", 0, 3);
  expect_spill (f, 1, "abc");
}

static void
test_spill_over_its_limit (void **state)
{
  struct fixture *f = *state;
  char path[200];
  struct stat st;

  f->c.stream[0].spill_limit = 15;
  put (f, 1, "0123456789ab");
  assert_non_null (f->c.stream[0].spill_path);
  snprintf (path, sizeof path, "%s", f->c.stream[0].spill_path);
  put (f, 1, "cdef");
  assert_int_equal (stat (path, &st), -1);
  put (f, 1, "g");
  expect (f, 1, "789abcdefg", 7, 17);
  expect_spill (f, 1, NULL);
}

static void
test_first_chunk_over_the_spill_limit (void **state)
{
  struct fixture *f = *state;

  f->c.stream[0].spill_limit = 15;
  put (f, 1, "0123456789abcdefgh");
  expect (f, 1, "89abcdefgh", 8, 18);
  expect_spill (f, 1, NULL);
}

static void
test_spill_that_cannot_be_made (void **state)
{
  struct fixture *f = *state;

  f->c.stream[0].spill_dir = "/dev/null/not-there";
  put (f, 1, "0123456789abcdef");
  expect (f, 1, "6789abcdef", 6, 16);
  expect_spill (f, 1, NULL);
}

static void
test_spill_on_a_full_device (void **state)
{
  struct fixture *f = *state;

  put (f, 1, "0123456789ab");
  assert_true (f->c.stream[0].spill_fd >= 0);
  int full = open ("/dev/full", O_WRONLY | O_CLOEXEC);
  if (full < 0) {
    print_message ("skipped: there is no /dev/full\n");
    skip ();
  }
  assert_int_equal (dup3 (full, f->c.stream[0].spill_fd, O_CLOEXEC), f->c.stream[0].spill_fd);
  close (full);
  put (f, 1, "cdef");
  expect (f, 1, "6789abcdef", 6, 16);
  expect_spill (f, 1, NULL);
}

static void
test_order (void **state)
{
  struct fixture *f = *state;

  put (f, 1, "aa");
  put (f, 1, "a");
  put (f, 2, "b");
  put (f, 1, "cc");
  assert_int_equal (f->c.order_count, 3);
  assert_int_equal (f->c.order[0].which, 1);
  assert_int_equal (f->c.order[0].size, 3);
  assert_int_equal (f->c.order[1].which, 2);
  assert_int_equal (f->c.order[1].offset, 0);
  assert_int_equal (f->c.order[2].which, 1);
  assert_int_equal (f->c.order[2].offset, 3);
  assert_int_equal (f->c.order[2].size, 2);
}

/* Millions of alternations cost bounded memory, and the pieces still cover every byte once.  */
static void
test_order_is_bounded (void **state)
{
  struct fixture *f = *state;
  uint64_t next[2] = { 0, 0 };

  f->c.stream[0].spill_dir = f->c.stream[1].spill_dir = NULL;
  for (int i = 0; i < 30000; i++) {
    put (f, 1, "x");
    put (f, 2, "y");
  }
  assert_true (f->c.order_count <= 8192);
  for (size_t i = 0; i < f->c.order_count; i++) {
    struct piece *p = &f->c.order[i];
    assert_int_equal (p->offset, next[p->which - 1]);
    next[p->which - 1] += p->size;
  }
  assert_int_equal (next[0], 30000);
  assert_int_equal (next[1], 30000);
}

/* ---- copies ---- */

static int
copy_to_pipe (struct fixture *f, int which)
{
  int ends[2];
  struct stream *s = &f->c.stream[which - 1];

  assert_int_equal (pipe2 (ends, O_CLOEXEC), 0);
  s->copy_fd = quiet_reopen (ends[1], &s->copy_blocking);
  assert_true (s->copy_fd > 2);
  assert_int_equal (fcntl (ends[1], F_GETFL) & O_NONBLOCK, 0); /* others' description stays as it was */
  close (ends[1]);
  return ends[0];
}

/* A consumer that does not read stops the reading; nothing is lost when it goes on.  */
static void
check_slow_consumer (struct fixture *f)
{
  int out = copy_to_pipe (f, 1);
  char bytes[4096];
  size_t sent = 0, got = 0, stuck = 0;

  f->c.stream[0].spill_dir = NULL;
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (char) ('a' + i % 23);
  assert_int_equal (fcntl (f->in[0], F_SETFL, O_NONBLOCK), 0);
  while (stuck < 3) {
    ssize_t n = write (f->in[0], bytes, sizeof bytes);
    if (n > 0)
      sent += (size_t) n;
    stuck = n < 0 ? stuck + 1 : 0;
    assert_int_equal (collect_read (&f->c, 1), 0);
  }
  assert_true (collect_copying (&f->c, 1));
  assert_true (f->c.stream[0].total < sent);
  close (f->in[0]);
  f->in[0] = -1;
  while (got < sent) {
    char part[3000];
    ssize_t n = read (out, part, sizeof part);
    assert_true (n > 0);
    for (ssize_t i = 0; i < n; i++)
      assert_int_equal (part[i], 'a' + (char) ((got + (size_t) i) % sizeof bytes % 23));
    got += (size_t) n;
    collect_read (&f->c, 1);
  }
  assert_int_equal (f->c.stream[0].total, sent);
  assert_int_equal (collect_read (&f->c, 1), 1);
  close (out);
}

static void
test_slow_consumer (void **state)
{
  check_slow_consumer (*state);
}

static void
test_slow_consumer_behind_a_blocking_descriptor (void **state)
{
  struct fixture *f = *state;

  /* As where /proc is missing: no descriptor of our own could be had.  */
  int out = copy_to_pipe (f, 1);
  assert_int_equal (fcntl (f->c.stream[0].copy_fd, F_SETFL, 0), 0);
  f->c.stream[0].copy_blocking = 1;
  for (int i = 0; i < 40; i++) {
    char bytes[4097];
    memset (bytes, 'x', 4096);
    bytes[4096] = '\0';
    if (!collect_copying (&f->c, 1))
      put (f, 1, bytes); /* would hang here, if it could */
  }
  assert_true (collect_copying (&f->c, 1));
  close (out);
}

/* The consumer went away: the command is to notice by its own closed pipe, and no signal reaches us.  */
static void
test_consumer_that_is_gone (void **state)
{
  struct fixture *f = *state;
  int out = copy_to_pipe (f, 1);
  sigset_t pending;

  close (out);
  assert_int_equal (write (f->in[0], "abc", 3), 3);
  assert_int_equal (collect_read (&f->c, 1), 1);
  assert_int_equal (f->c.stream[0].fd, -1);
  assert_int_equal (f->c.stream[0].copy_errno, EPIPE);
  expect (f, 1, "abc", 0, 3);
  sigpending (&pending);
  assert_false (sigismember (&pending, SIGPIPE));
}

static void
test_copy_to_a_file (void **state)
{
  struct fixture *f = *state;
  struct stream *s = &f->c.stream[0];
  char path[300];
  auto_free char *bytes = NULL;
  int fd;

  snprintf (path, sizeof path, "%s/out", f->dir);
  fd = open (path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  assert_true (fd >= 0);
  assert_int_equal (write (fd, "before ", 7), 7);
  s->copy_fd = quiet_reopen (fd, &s->copy_blocking);
  assert_true (s->copy_fd > 2);
  put (f, 1, "abc");
  put (f, 1, "def");
  bytes = util_read_file (AT_FDCWD, path, 100, NULL);
  assert_string_equal (bytes, "before abcdef");
  close (fd);
  unlink (path);
}

static void
test_same_place (void **state)
{
  struct fixture *f = *state;
  char path[300];
  int a, b;

  assert_true (quiet_same (f->in[0], f->in[0]));
  assert_false (quiet_same (f->in[0], f->in[1]));
  snprintf (path, sizeof path, "%s/out", f->dir);
  a = open (path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  b = dup (a);
  assert_int_equal (write (a, "x", 1), 1);
  assert_true (quiet_same (a, b));
  close (b);
  b = open (path, O_WRONLY | O_CLOEXEC);
  assert_false (quiet_same (a, b)); /* two descriptions at two offsets */
  close (a);
  close (b);
  unlink (path);
}

#define TEST(name) cmocka_unit_test_setup_teardown (name, setup, teardown)

int
main (void)
{
  const struct CMUnitTest tests[] = {
    TEST (test_small),
    TEST (test_exactly_at_the_cap),
    TEST (test_tail_and_spill),
    TEST (test_tail_of_every_chunking),
    TEST (test_one_large_chunk),
    TEST (test_head),
    TEST (test_nothing_kept),
    TEST (test_spill_over_its_limit),
    TEST (test_first_chunk_over_the_spill_limit),
    TEST (test_spill_that_cannot_be_made),
    TEST (test_spill_on_a_full_device),
    TEST (test_order),
    TEST (test_order_is_bounded),
    TEST (test_slow_consumer),
    TEST (test_slow_consumer_behind_a_blocking_descriptor),
    TEST (test_consumer_that_is_gone),
    TEST (test_copy_to_a_file),
    TEST (test_same_place),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
