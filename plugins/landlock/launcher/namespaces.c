/* SPDX-License-Identifier: Apache-2.0 */
/* The launcher's own namespaces.  A user namespace in which each id is itself: of an ordinary user only its own id can
 * be mapped, which the process may write itself; as uid 0 all that are mapped for us, which only a process that stayed
 * outside may write (user_namespaces(7)), so one is left behind for it.  */
#include "config.h"

#include "plugins/landlock/launcher/launcher.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "core/sys.h"

static int
namespaces_write (int pid, const char *name, const char *text)
{
  char path[64];
  int fd, failed, saved;

  snprintf (path, sizeof path, "/proc/%d/%s", pid, name);
  fd = open (path, O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return -1;
  failed = write (fd, text, strlen (text)) < 0;
  saved = errno;
  close (fd);
  errno = saved;
  return failed ? -1 : 0;
}

/* Writes the lines of our own map as an identity.  The file is a page at most, and so must be what we write.  */
static int
namespaces_write_identity (int pid, const char *name)
{
  char path[64], lines[4096], *out = lines;
  unsigned inside, outside, count;
  FILE *map;

  snprintf (path, sizeof path, "/proc/self/%s", name);
  map = fopen (path, "re");
  if (!map)
    return -1;
  while (fscanf (map, "%u %u %u", &inside, &outside, &count) == 3 && lines + sizeof lines - out > 40)
    out += sprintf (out, "%u %u %u\n", inside, inside, count);
  *out = '\0';
  fclose (map);
  return namespaces_write (pid, name, lines);
}

static int
namespaces_map_own (void)
{
  char text[64];
  int self = getpid ();
  unsigned uid = geteuid (), gid = getegid ();

  if (unshare (CLONE_NEWUSER) || namespaces_write (self, "setgroups", "deny"))
    return -1;
  snprintf (text, sizeof text, "%u %u 1\n", uid, uid);
  if (namespaces_write (self, "uid_map", text))
    return -1;
  snprintf (text, sizeof text, "%u %u 1\n", gid, gid);
  return namespaces_write (self, "gid_map", text);
}

/* The process outside: waits for the byte that says that the namespace is there; its status is an errno.  */
static void __attribute__ ((noreturn)) namespaces_outside (int pid, int go)
{
  char byte;

  if (read (go, &byte, 1) == 1
      && (namespaces_write_identity (pid, "uid_map") || namespaces_write_identity (pid, "gid_map")))
    _exit (errno < 256 ? errno : EIO);
  _exit (0);
}

static int
namespaces_map_all (void)
{
  int go[2], status = 0, failed, saved, self = getpid ();
  pid_t outside;

  if (pipe2 (go, O_CLOEXEC))
    return -1;
  outside = fork ();
  if (outside == 0) {
    close (go[1]); /* our death is then its end */
    namespaces_outside (self, go[0]);
  }
  close (go[0]);
  failed = outside < 0 || unshare (CLONE_NEWUSER) || write (go[1], "", 1) != 1;
  saved = errno;
  close (go[1]);
  while (outside > 0 && waitpid (outside, &status, 0) < 0 && errno == EINTR)
    ;
  errno = saved;
  if (!failed && status) {
    errno = WIFEXITED (status) ? WEXITSTATUS (status) : EIO;
    failed = 1;
  }
  return failed ? -1 : 0;
}

/* Want of memory, processes or descriptors may pass; nothing is known of the host by it.  */
static int
namespaces_fail (struct carry_failure *failure, uint32_t fact, const char *detail)
{
  int passing = errno == ENOMEM || errno == EAGAIN || errno == EMFILE || errno == ENFILE;

  launcher_failure (failure, WEIR_STEP_NAMESPACES, passing ? 0 : fact, detail);
  return -1;
}

int
launcher_namespaces (uint64_t wanted, struct carry_failure *failure)
{
  static const struct {
    uint64_t bit;
    int flag;
    uint32_t fact;
    const char *name;
  } kinds[] = {
    { WEIR_NS_MOUNT, CLONE_NEWNS, WEIR_FACT_USER_NAMESPACES, "a mount namespace" },
    { WEIR_NS_PID, CLONE_NEWPID, WEIR_FACT_USER_NAMESPACES, "a pid namespace" },
    { WEIR_NS_UTS, CLONE_NEWUTS, WEIR_FACT_USER_NAMESPACES, "a uts namespace" },
    { WEIR_NS_CGROUP, CLONE_NEWCGROUP, WEIR_FACT_USER_NAMESPACES, "a cgroup namespace" },
    { WEIR_NS_IPC, CLONE_NEWIPC, WEIR_FACT_IPC_NAMESPACES, "an ipc namespace" },
    { WEIR_NS_NETWORK, CLONE_NEWNET, WEIR_FACT_NETWORK_NAMESPACES, "a network namespace" },
  };

  if (geteuid () == 0 ? namespaces_map_all () : namespaces_map_own ())
    return namespaces_fail (failure, WEIR_FACT_USER_NAMESPACES, "a user namespace");
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if ((wanted & kinds[i].bit) && unshare (kinds[i].flag))
      return namespaces_fail (failure, kinds[i].fact, kinds[i].name);
  return 0;
}
