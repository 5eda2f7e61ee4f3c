/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors that came with us: standard input is the file, or the directory, of the victims' place (the attack
 * "stdin-..."), and the driver left others open on purpose.  */
#include "attack.h"

#include <sys/stat.h>

/* Which of the two standard input is; the attacks on the other one do not apply.  */
static int
input_is (mode_t type)
{
  struct stat st;
  return fstat (0, &st) == 0 && (st.st_mode & S_IFMT) == type;
}
#define NEED(type)        \
  if (!input_is (type)) { \
    errno = 0;            \
    return ATTACK_NA;     \
  }

static int
reopen_input (const struct attack_context *c)
{
  NEED (S_IFREG)
  return attack_write (c, open ("/proc/self/fd/0", O_WRONLY | O_APPEND));
}
static int
reopen_input_trunc (const struct attack_context *c)
{
  NEED (S_IFREG)
  (void) c;
  return attack_result (open ("/dev/stdin", O_RDWR | O_TRUNC));
}
static int
truncate_input (const struct attack_context *c)
{
  NEED (S_IFREG)
  (void) c;
  return truncate ("/proc/self/fd/0", 1);
}
static int
chmod_input (const struct attack_context *c)
{
  NEED (S_IFREG)
  (void) c;
  return fchmod (0, 0600);
}
static int
times_input (const struct attack_context *c)
{
  static const struct timespec old[2] = { { 1000, 0 }, { 1000, 0 } };
  NEED (S_IFREG)
  (void) c;
  return futimens (0, old);
}
static int
reach (const struct attack_context *c, char path[4200], const char *name)
{
  snprintf (path, 4200, "%s/%s", c->name, name);
  return openat (0, path, O_WRONLY);
}
static int
below_input (const struct attack_context *c)
{
  char path[4200];
  NEED (S_IFDIR)
  return attack_write (c, reach (c, path, "file"));
}
static int
below_input_chmod (const struct attack_context *c)
{
  char path[4200];
  NEED (S_IFDIR)
  close (reach (c, path, "file"));
  return fchmodat (0, path, 0600, 0);
}
static int
below_input_unlink (const struct attack_context *c)
{
  char path[4200];
  NEED (S_IFDIR)
  close (reach (c, path, "file"));
  return unlinkat (0, path, 0);
}
static int
below_input_up (const struct attack_context *c)
{
  char path[4200];
  NEED (S_IFDIR)
  snprintf (path, sizeof path, "../place-outside/%s/file", c->name);
  return attack_write (c, openat (0, path, O_WRONLY));
}
/* Whatever else is open.  */
static int
others_write (const struct attack_context *c)
{
  int result = -1;
  for (int fd = 3; fd < 1024; fd++)
    if (fcntl (fd, F_GETFL) >= 0 && write (fd, c->name, strlen (c->name)) > 0)
      result = 0;
  if (result < 0)
    errno = EBADF;
  return result;
}
static int
others_reach (const struct attack_context *c)
{
  char path[4200];
  int result = -1;
  snprintf (path, sizeof path, "%s/file", c->name);
  for (int fd = 3; fd < 1024; fd++)
    if (attack_write (c, openat (fd, path, O_WRONLY)) == 0)
      result = 0;
  return result;
}

#define GAP "standard input"
const struct attack attack_descriptors[] = {
  { "stdin-reopen", reopen_input, 0, 0, GAP },
  { "stdin-reopen-trunc", reopen_input_trunc, 0, 0, GAP },
  { "stdin-truncate", truncate_input, 0, 0, GAP },
  { "stdin-fchmod", chmod_input, 0, 0, GAP },
  { "stdin-futimens", times_input, 0, 0, GAP },
  { "stdin-directory-write", below_input, 0, 0, GAP },
  { "stdin-directory-chmod", below_input_chmod, 0, 0, GAP },
  { "stdin-directory-unlink", below_input_unlink, 0, 0, GAP },
  { "stdin-directory-up", below_input_up, 0, 0, GAP },
  { "inherited-write", others_write, 0, 0, NULL },
  { "inherited-directory", others_reach, 0, 0, NULL },
  { NULL, NULL, 0, 0, NULL },
};
