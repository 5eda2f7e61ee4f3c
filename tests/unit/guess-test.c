/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/classify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

/* What programs really print.  path NULL: none can be told.  */
static const struct {
  const char *line, *path, *operation;
} cases[] = {
  /* coreutils */
  { "touch: cannot touch '/etc/x': Permission denied", "/etc/x", "create" },
  { "touch: cannot touch '/etc/x': Read-only file system", "/etc/x", "create" },
  { "touch: setting times of '/etc/x': Permission denied", "/etc/x", "metadata" },
  { "mkdir: cannot create directory \xe2\x80\x98/x\xe2\x80\x99: Permission denied", "/x", "create" },
  { "mkdir: cannot create directory 'sub/x': Read-only file system", "/w/sub/x", "create" },
  { "rm: cannot remove '/etc/passwd': Permission denied", "/etc/passwd", "delete" },
  { "rmdir: failed to remove '/etc': Permission denied", "/etc", "delete" },
  { "mv: cannot move 'a' to '/etc/a': Permission denied", "/etc/a", "rename" },
  { "cp: cannot create regular file '/etc/my file': Permission denied", "/etc/my file", "create" },
  { "cp: cannot open '/secret' for reading: Permission denied", "/secret", "read" },
  { "ln: failed to create symbolic link '/etc/l': Permission denied", "/etc/l", "create" },
  { "chmod: changing permissions of '/etc/passwd': Operation not permitted", "/etc/passwd", "metadata" },
  { "chown: changing ownership of '/etc/passwd': Operation not permitted", "/etc/passwd", "metadata" },
  { "tee: /etc/x: Permission denied", "/etc/x", "write" },
  { "tee: 'it'\\''s': Permission denied", "/w/it's", "write" },
  { "dd: failed to open '/etc/x': Read-only file system", "/etc/x", "write" },
  { "cat: /home/u/.ssh/id_rsa: Permission denied", "/home/u/.ssh/id_rsa", "read" },
  { "cat: /srv/weir-exec-1/mkdir-2/secret: Permission denied", "/srv/weir-exec-1/mkdir-2/secret", "read" },
  { "/usr/bin/cat: /home/u/.ssh/id_rsa: Permission denied", "/home/u/.ssh/id_rsa", "read" },
  { "ls: cannot open directory '/secret': Permission denied", "/secret", "read" },
  { "find: \xe2\x80\x98/secret\xe2\x80\x99: Permission denied", "/secret", "read" },
  { "truncate: cannot open '/etc/x' for writing: Permission denied", "/etc/x", "write" },
  /* shells */
  { "bash: line 1: /etc/x: Read-only file system", "/etc/x", "write" },
  { "bash: /etc/x: Permission denied", "/etc/x", "write" },
  { "sh: 1: cannot create /etc/x: Permission denied", "/etc/x", "create" },
  { "/bin/sh: 1: cannot open /secret: Permission denied", "/secret", "write" },
  { "zsh:1: permission denied: /etc/x", "/etc/x", "write" },
  { "./configure: line 2: out.txt: Permission denied", "/w/out.txt", "write" },
  { "bash: ./x.sh: /opt/int: bad interpreter: Permission denied", "/opt/int", "execute" },
  /* languages */
  { "PermissionError: [Errno 13] Permission denied: '/etc/x'", "/etc/x", "write" },
  { "OSError: [Errno 30] Read-only file system: '/etc/x'", "/etc/x", "write" },
  { "PermissionError: [Errno 13] Permission denied: 'a' -> '/etc/b'", "/etc/b", "write" },
  { "Error: EACCES: permission denied, open '/etc/x'", "/etc/x", "write" },
  { "Error: EROFS: read-only file system, mkdir '/opt/x'", "/opt/x", "create" },
  { "Error: EACCES: permission denied, scandir '/secret'", "/secret", "read" },
  { "open /etc/x: permission denied", "/etc/x", "write" },
  { "mkdir /opt/x: read-only file system", "/opt/x", "create" },
  { "java.io.FileNotFoundException: /etc/x (Permission denied)", "/etc/x", "write" },
  { "filesystem error: cannot create directory: Permission denied [/opt/x]", "/opt/x", "create" },
  { "Can't open '/etc/x': Permission denied at - line 1.", "/etc/x", "write" },
  /* others */
  { "fatal: Unable to create '/r/.git/index.lock': Read-only file system", "/r/.git/index.lock", "create" },
  { "error: could not lock config file .git/config: Permission denied", "/w/.git/config", "write" },
  { "error: unable to unlink old 'a.txt': Permission denied", "/w/a.txt", "delete" },
  { "sed: couldn't open temporary file /etc/sedAbC: Permission denied", "/etc/sedAbC", "write" },
  { "tar: dir/file: Cannot open: Permission denied", "/w/dir/file", "write" },
  { "/usr/bin/ld: cannot open output file /opt/x: Permission denied", "/opt/x", "write" },
  { "ssh: connect to host example.org port 22: Permission denied", NULL, "connect" },
  { "curl: (7) Couldn't connect to server", NULL, "connect" },
  /* no name at all */
  { "Permission denied", NULL, "write" },
  { "", NULL, "write" },
  { "mount: Permission denied", NULL, "write" },
  { "'': Permission denied", NULL, "write" },
  { "something went wrong", NULL, "write" },
};

static void
test_paths (void **state)
{
  int bad = 0;

  (void) state;
  for (size_t i = 0; i < ARRAY_SIZE (cases); i++) {
    char *path = classify_path (cases[i].line, strlen (cases[i].line), "/w");
    if ((path == NULL) != (cases[i].path == NULL) || (path != NULL && strcmp (path, cases[i].path) != 0)) {
      print_error ("%s\n  path: %s, expected %s\n", cases[i].line, path == NULL ? "none" : path,
                   cases[i].path == NULL ? "none" : cases[i].path);
      bad++;
    }
    free (path);
  }
  assert_int_equal (bad, 0);
}

static void
test_operations (void **state)
{
  int bad = 0;

  (void) state;
  for (size_t i = 0; i < ARRAY_SIZE (cases); i++) {
    const char *operation = classify_operation (cases[i].line, strlen (cases[i].line));
    if (strcmp (operation, cases[i].operation) != 0) {
      print_error ("%s\n  operation: %s, expected %s\n", cases[i].line, operation, cases[i].operation);
      bad++;
    }
  }
  assert_int_equal (bad, 0);
}

/* No byte after the length is looked at, whatever a line holds (the sanitizers watch).  */
static void
test_every_prefix (void **state)
{
  (void) state;
  for (size_t i = 0; i < ARRAY_SIZE (cases); i++)
    for (size_t n = 0; n <= strlen (cases[i].line); n++) {
      char *line = malloc (n + (n == 0));
      assert_non_null (line);
      memcpy (line, cases[i].line, n);
      free (classify_path (line, n, "/w"));
      assert_non_null (classify_operation (line, n));
      free (line);
    }
}

static void
test_hostile_names (void **state)
{
  static const char nul[] = "tee: '/a\0b': Permission denied";
  char *path = classify_path (nul, sizeof nul - 1, "/w");
  char *large = malloc (20000);

  (void) state;
  assert_null (path);
  assert_non_null (large);
  memset (large, 'a', 20000);
  memcpy (large, "tee: /", 6);
  memcpy (large + 20000 - 19, ": Permission denied", 19);
  assert_null (classify_path (large, 20000, "/w"));
  free (large);
  assert_null (classify_path ("tee: x: Permission denied", 25, NULL));
  path = classify_path ("tee: x: Permission denied", 25, "/");
  assert_string_equal (path, "/x");
  free (path);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_paths),
    cmocka_unit_test (test_operations),
    cmocka_unit_test (test_every_prefix),
    cmocka_unit_test (test_hostile_names),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
