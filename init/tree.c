/* SPDX-License-Identifier: Apache-2.0 */
#include "init/tree.h"

#include "init/raw.h"

#define TREE_MAX 65536 /* of one scan; more are met by the next */
#define TREE_LIMIT_MS 10000

static int tree_pids[TREE_MAX];
static int tree_count;
static char tree_path[64];
static char tree_text[4096];
static char tree_entries[4096];

struct tree_dirent { /* linux_dirent64 */
  uint64_t ino, offset;
  uint16_t length;
  uint8_t type;
  char name[];
};

static char *
tree_put (char *at, const char *text)
{
  while (*text != '\0')
    *at++ = *text++;
  *at = '\0';
  return at;
}

static char *
tree_number (char *at, unsigned n)
{
  char digits[12];
  int i = 0;

  do
    digits[i++] = (char) ('0' + n % 10);
  while ((n /= 10) != 0);
  while (i > 0)
    *at++ = digits[--i];
  *at = '\0';
  return at;
}

static void
tree_add (int pid)
{
  for (int i = tree_count - 1; i >= 0 && i >= tree_count - 64; i--)
    if (tree_pids[i] == pid)
      return;
  if (tree_count < TREE_MAX)
    tree_pids[tree_count++] = pid;
}

/* "12 34 56 " of /proc/PID/task/TID/children: the children that this thread made.  */
static void
tree_children_of (int pid, const char *tid)
{
  char *at = tree_number (tree_put (tree_path, "/proc/"), (unsigned) pid);
  long fd, n;
  int number = 0, digits = 0;

  at = tree_put (tree_put (at, "/task/"), tid);
  tree_put (at, "/children");
  fd = raw3 (openat, RAW_AT_FDCWD, tree_path, RAW_O_CLOEXEC);
  if (fd < 0)
    return;
  while ((n = raw3 (read, fd, tree_text, sizeof tree_text)) > 0)
    for (long i = 0; i < n; i++) {
      if (tree_text[i] >= '0' && tree_text[i] <= '9') {
        number = number * 10 + (tree_text[i] - '0');
        digits++;
      }
      else if (digits > 0) {
        tree_add (number);
        number = digits = 0;
      }
    }
  raw1 (close, fd);
}

static void
tree_threads_of (int pid)
{
  long fd, n;

  tree_put (tree_number (tree_put (tree_path, "/proc/"), (unsigned) pid), "/task");
  fd = raw3 (openat, RAW_AT_FDCWD, tree_path, RAW_O_CLOEXEC);
  if (fd < 0)
    return;
  while ((n = raw3 (getdents64, fd, tree_entries, sizeof tree_entries)) > 0)
    for (long at = 0; at < n;) {
      struct tree_dirent *entry = (struct tree_dirent *) (tree_entries + at);
      if (entry->name[0] != '.')
        tree_children_of (pid, entry->name);
      at += entry->length;
    }
  raw1 (close, fd);
}

/* Every descendant that there is now, breadth first.  What forks meanwhile is met by the next scan.  A hash of them, to
 * see whether two scans found the same.  */
static unsigned
tree_scan (void)
{
  unsigned hash = 0;

  tree_count = 0;
  tree_threads_of ((int) raw0 (getpid));
  for (int i = 0; i < tree_count; i++) {
    hash = hash * 31 + (unsigned) tree_pids[i];
    tree_threads_of (tree_pids[i]);
  }
  return hash + (unsigned) tree_count;
}

static void
tree_send (int signo)
{
  for (int i = 0; i < tree_count; i++)
    raw2 (kill, tree_pids[i], signo);
}

void
tree_signal (int signo)
{
  tree_scan ();
  tree_send (signo);
}

static int64_t
tree_now (void)
{
  struct raw_timespec t;

  raw2 (clock_gettime, 1, &t);
  return t.sec * 1000 + t.nsec / 1000000;
}

/* 1: children are left, 0: none.  A subreaper without children has no descendants either: an orphan becomes its child.
 */
static int
tree_reap (void (*reaped) (int, int, const void *))
{
  struct raw_rusage usage;
  int status;
  long pid;

  while ((pid = raw4 (wait4, -1, &status, RAW_WNOHANG | RAW_WALL, &usage)) != 0)
    if (pid > 0)
      reaped ((int) pid, status, &usage);
    else if (pid != -RAW_EINTR)
      return 0;
  return 1;
}

int
tree_kill (void (*reaped) (int pid, int status, const void *rusage))
{
  int64_t limit = tree_now () + TREE_LIMIT_MS;
  struct raw_timespec pause = { 0, 500000 };

  while (tree_reap (reaped)) {
    unsigned before = 0, now;
    /* Stopped first: what forks faster than it can be killed one by one comes to a halt when a scan finds nothing new.
     */
    for (int i = 0; i < 64 && (now = tree_scan ()) != before; i++) {
      tree_send (RAW_SIGSTOP);
      before = now;
    }
    tree_send (RAW_SIGKILL);
    if (tree_now () > limit)
      return tree_count > 0 ? tree_count : 1;
    raw5 (ppoll, NULL, 0, &pause, NULL, 0);
    if (pause.nsec < 20000000)
      pause.nsec *= 2;
  }
  return 0;
}
