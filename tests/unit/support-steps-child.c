/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/steps-child.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/sys.h"

struct child_report {
  struct carry_failure failure;
  int result;
};

static int
child_write (pid_t pid, const char *name, const char *text)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/%s", (int) pid, name);
  int fd = open (path, O_WRONLY | O_CLOEXEC);
  int failed = fd < 0 || write (fd, text, strlen (text)) < 0;
  if (fd >= 0)
    close (fd);
  return failed;
}

static int
child_map (pid_t pid)
{
  char text[64];

  if (geteuid () == 0)
    return child_write (pid, "uid_map", "0 0 4294967295\n") || child_write (pid, "gid_map", "0 0 4294967295\n");
  snprintf (text, sizeof text, "%u %u 1\n", (unsigned) geteuid (), (unsigned) geteuid ());
  if (child_write (pid, "setgroups", "deny") || child_write (pid, "uid_map", text))
    return -1;
  snprintf (text, sizeof text, "%u %u 1\n", (unsigned) getegid (), (unsigned) getegid ());
  return child_write (pid, "gid_map", text);
}

static int
child_flags (uint64_t namespaces)
{
  return (namespaces & WEIR_NS_MOUNT ? CLONE_NEWNS : 0) | (namespaces & WEIR_NS_PID ? CLONE_NEWPID : 0)
         | (namespaces & WEIR_NS_IPC ? CLONE_NEWIPC : 0) | (namespaces & WEIR_NS_NETWORK ? CLONE_NEWNET : 0);
}

static void
child_do (const struct carry *c, child_check check, const char *dir, struct child_report *report)
{
  if (carry_do (c, &report->failure))
    report->result = CHILD_FAILED;
  else
    report->result = check ? check (dir) : 0;
  _exit (0);
}

/* In the child: namespaces, of which the pid namespace takes another child to be in.  */
static void
child_enter (const struct carry *c, int made, int mapped, child_check check, const char *dir,
             struct child_report *report)
{
  char byte;

  if (c->has_namespaces) {
    report->result = CHILD_NO_NAMESPACES;
    if (unshare (CLONE_NEWUSER) || write (made, "", 1) != 1 || read (mapped, &byte, 1) != 1
        || unshare (child_flags (c->namespaces)))
      _exit (0);
  }
  pid_t inner = fork ();
  if (inner == 0)
    child_do (c, check, dir, report);
  waitpid (inner, NULL, 0);
  _exit (0);
}

int
child_run (const struct weir_step *steps, size_t count, child_check check, const char *dir,
           struct carry_failure *failure)
{
  struct carry c;
  int made[2], mapped[2];
  char byte;

  if (carry_prepare (steps, count, sys_landlock_abi (), &c, failure))
    return CHILD_FAILED;
  struct child_report *report = mmap (NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true (report != MAP_FAILED);
  report->result = -3; /* the child ended without a word */
  assert_int_equal (pipe (made), 0);
  assert_int_equal (pipe (mapped), 0);
  pid_t pid = fork ();
  assert_true (pid >= 0);
  if (pid == 0) {
    close (made[0]);
    close (mapped[1]);
    child_enter (&c, made[1], mapped[0], check, dir, report);
  }
  close (made[1]);
  close (mapped[0]);
  if (c.has_namespaces && read (made[0], &byte, 1) == 1 && child_map (pid) == 0)
    assert_int_equal (write (mapped[1], "", 1), 1);
  close (mapped[1]);
  close (made[0]);
  assert_int_equal (waitpid (pid, NULL, 0), pid);
  int result = report->result;
  *failure = report->failure;
  munmap (report, sizeof *report);
  carry_free (&c);
  return result;
}

void
child_holds (const struct weir_step *steps, size_t count, child_check check, const char *dir)
{
  struct carry_failure failure = { 0 };
  int result = child_run (steps, count, check, dir, &failure);

  if (result == CHILD_NO_NAMESPACES) {
    print_message ("skipped: this machine refuses user namespaces\n");
    skip ();
  }
  if (result == CHILD_FAILED)
    fail_msg ("step %u: '%s': %s", failure.step, failure.detail, strerror (failure.errnum));
  if (result)
    fail_msg ("line %d does not hold in the child", result);
}

void
child_fails (const struct weir_step *steps, size_t count, uint32_t kind, int errnum, const char *detail, uint32_t fact)
{
  struct carry_failure failure = { 0 };
  int result = child_run (steps, count, NULL, child_dir (), &failure);

  if (result == CHILD_NO_NAMESPACES) {
    print_message ("skipped: this machine refuses user namespaces\n");
    skip ();
  }
  assert_int_equal (result, CHILD_FAILED);
  assert_int_equal (failure.step, kind);
  assert_int_equal (failure.errnum, errnum);
  assert_string_equal (failure.detail, detail);
  assert_int_equal (failure.fact, fact);
}

/* ---- files ---- */

static char child_directory[256];
static char *child_paths[512];
static size_t child_path_count;

const char *
child_dir (void)
{
  return child_directory;
}

const char *
child_path (const char *name)
{
  char *path = NULL;

  assert_true (child_path_count < sizeof child_paths / sizeof child_paths[0]);
  assert_true (asprintf (&path, "%s/%s", child_directory, name) > 0);
  return child_paths[child_path_count++] = path;
}

void
child_file (const char *name, const char *text)
{
  FILE *file = fopen (child_path (name), "we");
  assert_non_null (file);
  fputs (text, file);
  fclose (file);
}

void
child_mkdir (const char *name)
{
  assert_int_equal (mkdir (child_path (name), 0755), 0);
}

void
child_tree (void)
{
  child_mkdir ("ws");
  child_mkdir ("ws/.git");
  child_mkdir ("ws/.git/hooks");
  child_file ("ws/.git/hooks/a", "a");
  child_file ("ws/file", "in");
  child_mkdir ("outside");
  child_file ("outside/file", "out");
}

const char *
child_in (const char *dir, const char *name)
{
  static char buffers[8][512];
  static unsigned next;
  char *buffer = buffers[next++ % 8];

  snprintf (buffer, sizeof buffers[0], "%s/%s", dir, name);
  return buffer;
}

int
child_setup (void **state)
{
  char given[128], *canonical;
  const char *tmp = getenv ("TMPDIR");

  (void) state;
  snprintf (given, sizeof given, "%s/weir-steps-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  if (!mkdtemp (given) || !(canonical = realpath (given, NULL)))
    return -1;
  snprintf (child_directory, sizeof child_directory, "%s", canonical);
  free (canonical);
  return chmod (child_directory, 0755);
}

int
child_clean (void **state)
{
  const char *const argv[] = { "rm", "-rf", child_directory, NULL };

  (void) state;
  child_run_program (argv, NULL, 0);
  while (child_path_count > 0)
    free (child_paths[--child_path_count]);
  return 0;
}

int
child_can_write (const char *path)
{
  int fd = open (path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0644);

  if (fd < 0)
    return errno;
  close (fd);
  return 0;
}

int
child_run_program (const char *const *argv, char *output, size_t size)
{
  int out[2], status = -1;
  size_t used = 0;
  ssize_t got;

  if (pipe (out))
    return -1;
  pid_t pid = fork ();
  if (pid == 0) {
    dup2 (out[1], 1);
    close (out[0]);
    close (out[1]);
    execvp (argv[0], (char *const *) (uintptr_t) argv);
    _exit (127);
  }
  close (out[1]);
  while (output && used + 1 < size && (got = read (out[0], output + used, size - 1 - used)) > 0)
    used += (size_t) got;
  if (output)
    output[used] = '\0';
  close (out[0]);
  if (pid > 0)
    waitpid (pid, &status, 0);
  return status;
}
