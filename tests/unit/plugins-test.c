/* The plugins of a runtime, through the real loader, in a directory that is trusted.  */
/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/plugins.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/plugins-internal.h"
#include "plugin-support.h"

static char scratch[2048]; /* "": no trusted directory */
static const char *why_not;

/* ---- a runtime's plugins ---- */

struct fixture {
  struct settings *settings;
  struct plugins *plugins;
  struct strbuf logged;
  struct log_target target;
};

static void
keep_line (void *data, int level UNUSED, const char *line)
{
  strbuf_fmt (data, "%s\n", line);
}

static const char *
inside (const char *name)
{
  static char paths[4][4096];
  static unsigned next;
  char *p = paths[next++ % 4];

  snprintf (p, sizeof paths[0], "%s/%s", scratch, name);
  return p;
}

static void
put_file (const char *path, const void *bytes, size_t size)
{
  int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

  assert_true (fd >= 0);
  assert_int_equal (util_write_all (fd, bytes, size), 0);
  close (fd);
}

static void
begin (struct fixture *f, const char *text)
{
  static const char *const nothing[] = { NULL };
  struct weir_runtime_options options = { .struct_size = sizeof options };
  weir_error *err = NULL;

  memset (f, 0, sizeof *f);
  put_file (inside ("weir.conf"), text, strlen (text));
  options.config = inside ("weir.conf");
  options.plugin_dir = inside ("plugins");
  options.state_dir = inside ("state");
  options.environ = nothing;
  expect_success (settings_load (&options, nothing, &f->settings, &err), &err);
  f->target = (struct log_target){ keep_line, &f->logged };
  f->plugins = plugins_new (f->settings, &f->target, &err);
  assert_non_null (f->plugins);
}

static void
end (struct fixture *f)
{
  plugins_free (f->plugins);
  settings_free (f->settings);
  strbuf_free (&f->logged);
}

#define NEEDS_PLUGINS()                                                                                                \
  if (why_not != NULL) {                                                                                               \
    print_message ("skipped: %s\n", why_not);                                                                          \
    skip ();                                                                                                           \
  }

static void
failing (struct fixture *f, const char *name, weir_status wanted, const char *part)
{
  struct instance *instance = NULL;
  weir_error *err = NULL;

  /* Told twice, in the same words.  */
  for (int i = 0; i < 2; i++) {
    weir_status status = plugins_get (f->plugins, name, &instance, &err);

    expect_failure (status, wanted, &err, part);
    assert_null (instance);
  }
  assert_int_equal (plugins_get (f->plugins, name, &instance, NULL), wanted);
}

static struct instance *
getting (struct fixture *f, const char *name)
{
  struct instance *instance = NULL;
  weir_error *err = NULL;
  weir_status status = plugins_get (f->plugins, name, &instance, &err);

  expect_success (status, &err);
  assert_non_null (instance);
  return instance;
}

static char *
shown (struct fixture *f, const char *name, int format)
{
  struct strbuf kept = { 0 };
  weir_error *err = NULL;
  struct out out;

  out_init (&out, format, keep_output, &kept);
  expect_success (plugins_show (f->plugins, name, &out, &err), &err);
  expect_success (out_end (&out, &err), &err);
  return strbuf_steal (&kept);
}

/* ---- tests ---- */

static void
makes_one_instance (void **state UNUSED)
{
  struct fixture f, g;
  struct instance *i;

  NEEDS_PLUGINS ();
  begin (&f, "plugins : { mock_good : { word = \"hi\"; number = 7; }; };");
  i = getting (&f, "mock_good");
  assert_ptr_equal (i, getting (&f, "mock_good"));
  assert_true (i->created);
  assert_string_equal (i->adopted->name, "mock_good");
  expect_part (f.logged.data, "created with word 'hi' and number 7");
  /* Another runtime has its own.  */
  begin (&g, "");
  assert_ptr_not_equal (getting (&g, "mock_good"), i);
  assert_ptr_not_equal (getting (&g, "mock_good")->self, i->self);
  expect_part (g.logged.data, "created with word 'hello' and number -3");
  end (&f);
  end (&g);
}

static void
asks_for_nothing_unless_needed (void **state UNUSED)
{
  struct fixture f;

  NEEDS_PLUGINS ();
  begin (&f, "");
  assert_int_equal (f.logged.size, 0);
  end (&f);
  plugins_free (NULL);
}

static void
refuses_names (void **state UNUSED)
{
  struct fixture f;

  NEEDS_PLUGINS ();
  begin (&f, "");
  failing (&f, "mock_goood", WEIR_E_NOT_FOUND, "did you mean 'mock_good'?");
  failing (&f, "entirely_else", WEIR_E_NOT_FOUND, "there is no plugin 'entirely_else' in '");
  failing (&f, "../plugins/mock_good", WEIR_E_INVALID, "cannot be the name of a plugin");
  failing (&f, "mock-good", WEIR_E_INVALID, "cannot be the name of a plugin");
  failing (&f, "", WEIR_E_INVALID, "cannot be the name of a plugin");
  failing (&f, "0abc", WEIR_E_INVALID, "cannot be the name of a plugin");
  failing (&f, "a23456789012345678901234567890123456789012345678901234567890123456789", WEIR_E_INVALID, "cannot be");
  end (&f);
}

static void
refuses_what_others_could_replace (void **state UNUSED)
{
  struct fixture f;

  NEEDS_PLUGINS ();
  begin (&f, "");
  assert_int_equal (chmod (inside ("plugins/mock_good.so"), 0666), 0);
  failing (&f, "mock_good", WEIR_E_UNTRUSTED, "cannot load plugin 'mock_good'");
  end (&f);
  begin (&f, "");
  failing (&f, "mock_good", WEIR_E_UNTRUSTED, "mock_good.so");
  assert_int_equal (chmod (inside ("plugins/mock_good.so"), 0644), 0);
  assert_int_equal (chmod (inside ("plugins"), 0777), 0);
  failing (&f, "mock_fails_loudly", WEIR_E_UNTRUSTED, "plugins");
  assert_int_equal (chmod (inside ("plugins"), 0755), 0);
  end (&f);
  begin (&f, "");
  getting (&f, "mock_good");
  end (&f);
}

static void
refuses_what_is_no_file (void **state UNUSED)
{
  struct fixture f;

  NEEDS_PLUGINS ();
  begin (&f, "");
  assert_int_equal (mkfifo (inside ("plugins/a_fifo.so"), 0644), 0);
  assert_int_equal (mkdir (inside ("plugins/a_directory.so"), 0755), 0);
  assert_int_equal (symlink ("nowhere", inside ("plugins/dangling.so")), 0);
  put_file (inside ("plugins/text.so"), "hello\n", 6);
  failing (&f, "a_fifo", WEIR_E_INVALID, "a_fifo.so");
  failing (&f, "a_directory", WEIR_E_INVALID, "a_directory.so");
  failing (&f, "dangling", WEIR_E_NOT_FOUND, "dangling");
  failing (&f, "text", WEIR_E_PLUGIN, "text.so");
  unlink (inside ("plugins/a_fifo.so"));
  rmdir (inside ("plugins/a_directory.so"));
  unlink (inside ("plugins/dangling.so"));
  unlink (inside ("plugins/text.so"));
  end (&f);
}

static void
tells_why_create_failed (void **state UNUSED)
{
  struct fixture f;
  struct instance *instance;
  weir_error *err = NULL;
  char *text;

  NEEDS_PLUGINS ();
  begin (&f, "");
  failing (&f, "mock_fails_silently", WEIR_E_IO,
           "cannot start plugin 'mock_fails_silently'\n  because: create failed and did not say why");
  failing (&f, "mock_fails_loudly", WEIR_E_NOT_FOUND,
           "open root '/srv/x': No such file or directory\n  hint: set 'root'");
  assert_int_equal (plugins_get (f.plugins, "mock_fails_loudly", &instance, &err), WEIR_E_NOT_FOUND);
  text = error_text (err);
  assert_null (strstr (text, "clean up"));
  free (text);
  weir_error_free (err);
  failing (&f, "mock_wrong_name", WEIR_E_PLUGIN, "it calls itself 'another_name'");
  failing (&f, "mock_no_symbol", WEIR_E_PLUGIN, "it has no symbol");
  end (&f);
}

static void
checks_options_against_the_table (void **state UNUSED)
{
  struct fixture f;

  NEEDS_PLUGINS ();
  begin (&f, "plugins : { mock_good : { wrod = \"hi\"; }; };");
  failing (&f, "mock_good", WEIR_E_INVALID, "weir.conf:1");
  end (&f);
}

static int
is_alone (void)
{
  DIR *dir = opendir ("/proc/self/task");
  struct dirent *entry;
  int count = 0;

  while (dir != NULL && (entry = readdir (dir)) != NULL)
    count += entry->d_name[0] != '.';
  if (dir != NULL)
    closedir (dir);
  return count == 1;
}

static void
notices_a_descriptor_left_open (void **state UNUSED)
{
  struct fixture f;

  NEEDS_PLUGINS ();
  if (!is_alone ()) {
    print_message ("skipped: this process has another thread (of a sanitizer), so that nothing can be told\n");
    skip ();
  }
  begin (&f, "");
  failing (&f, "mock_leaks_descriptor", WEIR_E_PLUGIN, "create left descriptor ");
  failing (&f, "mock_leaks_descriptor", WEIR_E_PLUGIN, "('/dev/null') behind");
  end (&f);
}

static void *
hold_still (void *data)
{
  char byte;

  (void) !read (*(int *) data, &byte, 1);
  return NULL;
}

/* Another thread of the harness may have opened what is there: nobody is blamed.  */
static void
blames_nobody_beside_other_threads (void **state UNUSED)
{
  struct fixture f;
  pthread_t thread;
  int ends[2];

  NEEDS_PLUGINS ();
  assert_int_equal (pipe2 (ends, O_CLOEXEC), 0);
  assert_int_equal (pthread_create (&thread, NULL, hold_still, &ends[0]), 0);
  begin (&f, "");
  getting (&f, "mock_leaks_descriptor");
  end (&f);
  close (ends[1]);
  pthread_join (thread, NULL);
  close (ends[0]);
}

/* Last: its thread stays until this process ends.  */
static void
notices_a_thread_left_running (void **state UNUSED)
{
  struct fixture f;

  NEEDS_PLUGINS ();
  if (!is_alone ()) {
    print_message ("skipped: this process has another thread (of a sanitizer), so that nothing can be told\n");
    skip ();
  }
  begin (&f, "");
  failing (&f, "mock_leaks_thread", WEIR_E_PLUGIN, "create left 1 running thread behind");
  end (&f);
}

/* ---- threads ---- */

#define THREADS 8
#define TURNS 2000

struct worker {
  struct fixture *fixture;
  struct instance *instance;
  weir_status status;
  pthread_barrier_t *start;
  long *counter;
};

static void *
work_get (void *data)
{
  struct worker *w = data;

  pthread_barrier_wait (w->start);
  w->status = plugins_get (w->fixture->plugins, "mock_good", &w->instance, NULL);
  return NULL;
}

static void *
work_turns (void *data)
{
  struct worker *w = data;

  pthread_barrier_wait (w->start);
  for (int i = 0; i < TURNS; i++) {
    plugins_enter (w->instance);
    ++*w->counter;
    plugins_leave (w->instance);
  }
  return NULL;
}

static void
run_workers (struct worker *workers, void *(*work) (void *) )
{
  pthread_t threads[THREADS];
  pthread_barrier_t start;

  pthread_barrier_init (&start, NULL, THREADS);
  for (int i = 0; i < THREADS; i++) {
    workers[i].start = &start;
    assert_int_equal (pthread_create (&threads[i], NULL, work, &workers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);
  pthread_barrier_destroy (&start);
}

static long
created_count (struct fixture *f)
{
  char *text = shown (f, "mock_good", WEIR_FORMAT_TEXT);
  const char *at = strstr (text, "created=");
  long count = at != NULL ? atol (at + strlen ("created=")) : -1;

  free (text);
  return count;
}

static void
creates_once_for_all_threads (void **state UNUSED)
{
  struct worker workers[THREADS] = { 0 };
  struct fixture f, g;
  long before;

  NEEDS_PLUGINS ();
  begin (&f, "");
  before = created_count (&f);
  begin (&g, "");
  for (int i = 0; i < THREADS; i++)
    workers[i].fixture = &g;
  run_workers (workers, work_get);
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal (workers[i].status, WEIR_OK);
    assert_ptr_equal (workers[i].instance, workers[0].instance);
  }
  assert_int_equal (created_count (&g), before + 1);
  end (&f);
  end (&g);
}

/* A serial plugin is called by one thread at a time, also when two runtimes use it.  */
static void
takes_turns (void **state UNUSED)
{
  struct worker workers[THREADS] = { 0 };
  struct fixture f, g;
  long counter = 0;

  NEEDS_PLUGINS ();
  begin (&f, "");
  begin (&g, "");
  for (int i = 0; i < THREADS; i++) {
    workers[i].instance = getting (i % 2 != 0 ? &f : &g, "mock_good");
    workers[i].counter = &counter;
  }
  run_workers (workers, work_turns);
  assert_int_equal (counter, THREADS * TURNS);
  end (&f);
  end (&g);
}

/* ---- showing ---- */

static void
lists_good_and_bad (void **state UNUSED)
{
  struct strv names = { 0 };
  weir_error *err = NULL;
  struct fixture f;
  char *text;

  NEEDS_PLUGINS ();
  begin (&f, "");
  expect_success (plugins_list (f.plugins, &names, &err), &err);
  assert_true (strv_has (&names, "mock_good"));
  for (size_t i = 1; i < names.count; i++)
    assert_true (strcmp (names.items[i - 1], names.items[i]) < 0);
  strv_free (&names);
  text = shown (&f, NULL, WEIR_FORMAT_TEXT);
  expect_part (text, "mock_good        1.0      sandbox          A plugin for tests\n");
  expect_part (text, "mock_no_symbol   -        unusable         load plugin '");
  free (text);
  text = shown (&f, NULL, WEIR_FORMAT_JSON);
  expect_part (text, "{\"name\":\"mock_good\",\"version\":\"1.0\",\"summary\":\"A plugin for "
                     "tests\",\"sandbox\":true,\"world\":false}");
  expect_part (text, "{\"name\":\"mock_no_symbol\",\"problem\":\"load plugin '");
  free (text);
  /* Nothing was created for it.  */
  assert_int_equal (f.logged.size, 0);
  end (&f);
}

static void
shows_one (void **state UNUSED)
{
  static const char *const lines[] = {
    "name       mock_good\n",
    "version    1.0\n",
    "plugins/mock_good.so\n",
    "interface  1.0\n",
    "threads    one call at a time\n",
    "provides   sandbox\n",
    "option     word (string, default hello): A string\n",
    "option     words (list): A list\n",
    "option     one (choice, default b): a|b|c: a choice\n",
    "here       created=",
  };
  struct fixture f;
  char *text;

  NEEDS_PLUGINS ();
  begin (&f, "");
  text = shown (&f, "mock_good", WEIR_FORMAT_TEXT);
  for (size_t i = 0; i < ARRAY_SIZE (lines); i++)
    expect_part (text, lines[i]);
  free (text);
  text = shown (&f, "mock_good", WEIR_FORMAT_JSON);
  expect_part (text, "\"options\":[{\"name\":\"word\",\"type\":\"string\",\"required\":false,\"default\":\"hello\","
                     "\"help\":\"A string\"},");
  expect_part (text, "\"here\":{\"created\":\"");
  free (text);
  text = shown (&f, "mock_fails_loudly", WEIR_FORMAT_TEXT);
  expect_part (text, "name       mock_fails_loudly\n");
  expect_part (text, "problem    cannot start plugin 'mock_fails_loudly'");
  free (text);
  end (&f);
}

static void
shows_plugins_of_other_versions (void **state UNUSED)
{
  struct fixture f;
  char *text;

  NEEDS_PLUGINS ();
  begin (&f, "");
  text = shown (&f, "mock_abi_1_0", WEIR_FORMAT_TEXT);
  expect_part (text, "here       made=elsewhere\n");
  free (text);
  text = shown (&f, "mock_abi_future", WEIR_FORMAT_TEXT);
  expect_part (text, "interface  1.99\n");
  expect_part (text, "here       made=elsewhere\n");
  free (text);
  end (&f);
}

/* ---- the directory ---- */

static int
copy_mocks (const char *from)
{
  DIR *dir = opendir (from);
  struct dirent *entry;
  int count = 0;

  while (dir != NULL && (entry = readdir (dir)) != NULL) {
    char name[512];
    size_t size;
    char *bytes;

    if (strncmp (entry->d_name, "mock_", 5) != 0 || strstr (entry->d_name, ".so") == NULL
        || strstr (entry->d_name, ".so")[3] != '\0')
      continue;
    bytes = util_read_file (dirfd (dir), entry->d_name, 64 << 20, &size);
    assert_non_null (bytes);
    snprintf (name, sizeof name, "plugins/%s", entry->d_name);
    put_file (inside (name), bytes, size);
    free (bytes);
    count++;
  }
  if (dir != NULL)
    closedir (dir);
  return count;
}

static int
group_begin (void **state UNUSED)
{
  const char *trusted = getenv ("WEIR_TEST_TRUSTED_DIR");
  const char *mocks = mock_directory ();

  umask (022);
  why_not = trusted == NULL ? "WEIR_TEST_TRUSTED_DIR is not set"
            : mocks == NULL ? "neither WEIR_TEST_MOCK_DIR nor WEIR_BUILDDIR is set"
                            : NULL;
  if (why_not != NULL)
    return 0;
  snprintf (scratch, sizeof scratch, "%s/plugins-test-XXXXXX", trusted);
  if (mkdtemp (scratch) == NULL || chmod (scratch, 0755) != 0 || mkdir (inside ("plugins"), 0755) != 0)
    return -1;
  return copy_mocks (mocks) > 0 ? 0 : -1;
}

static int
remove_one (const char *path, const struct stat *st UNUSED, int type UNUSED, struct FTW *ftw UNUSED)
{
  return remove (path);
}

static int
group_end (void **state UNUSED)
{
  return scratch[0] != '\0' ? nftw (scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS) : 0;
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (makes_one_instance),
    cmocka_unit_test (asks_for_nothing_unless_needed),
    cmocka_unit_test (refuses_names),
    cmocka_unit_test (refuses_what_others_could_replace),
    cmocka_unit_test (refuses_what_is_no_file),
    cmocka_unit_test (tells_why_create_failed),
    cmocka_unit_test (checks_options_against_the_table),
    cmocka_unit_test (notices_a_descriptor_left_open),
    cmocka_unit_test (blames_nobody_beside_other_threads),
    cmocka_unit_test (creates_once_for_all_threads),
    cmocka_unit_test (takes_turns),
    cmocka_unit_test (lists_good_and_bad),
    cmocka_unit_test (shows_one),
    cmocka_unit_test (shows_plugins_of_other_versions),
    cmocka_unit_test (notices_a_thread_left_running),
  };

  return cmocka_run_group_tests (tests, group_begin, group_end);
}
