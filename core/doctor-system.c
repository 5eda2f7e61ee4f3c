/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/spawn.h"
#include "core/units.h"

#define DOCTOR_TMP_LEAST (UINT64_C (64) << 20)

/* ---- the kernel ---- */

static void
doctor_kernel (struct doctor *d)
{
  struct utsname u;
  int major = 0, minor = 0;

  if (uname (&u) != 0 || sscanf (u.release, "%d.%d", &major, &minor) != 2)
    doctor_add (d, "system", "kernel", DOCTOR_WARN, NULL, NULL, "the kernel does not say its version");
  else if (major < 5 || (major == 5 && minor < 13))
    doctor_add (d, "system", "kernel", DOCTOR_WARN, NULL, strdup ("use Linux 5.13 or newer"),
                "%s %s %s is older than what Weir is tested with", u.sysname, u.release, u.machine);
  else
    doctor_add (d, "system", "kernel", DOCTOR_OK, NULL, NULL, "%s %s %s", u.sysname, u.release, u.machine);
}

static void
doctor_landlock (struct doctor *d)
{
  static const char *const since[] = { [3] = "truncation (ABI 3)", [4] = "TCP ports (ABI 4)", [5] = "device ioctls (ABI 5)",
                                       [6] = "signals and abstract sockets (ABI 6)" };
  uint64_t facts[WEIR_FACT_COUNT_], abi;
  struct strbuf lacks = { 0 };

  facts_snapshot (&d->rt->facts, facts);
  abi = facts[WEIR_FACT_LANDLOCK_ABI];
  if (abi == 0) {
    doctor_add (d, "system", "landlock-abi", DOCTOR_WARN, NULL,
                strdup ("add 'landlock' to the lsm= list of the boot command line (/sys/kernel/security/lsm shows it), or use a "
                        "kernel that has it"),
                "the kernel does not offer Landlock");
    return;
  }
  for (size_t i = abi + 1; i < ARRAY_SIZE (since); i++)
    if (since[i] != NULL)
      strbuf_fmt (&lacks, "%s%s", lacks.size > 0 ? ", " : "not by Landlock itself: ", since[i]);
  doctor_add (d, "system", "landlock-abi", DOCTOR_OK, lacks.size > 0 ? strbuf_steal (&lacks) : NULL, NULL, "Landlock ABI %llu",
              (unsigned long long) abi);
}

/* ---- by doing it ---- */

/* Runs /bin/true in a child that does these steps.  */
static weir_status
doctor_try (const struct weir_step *steps, size_t count, weir_error **err)
{
  static const char *const argv[] = { "/bin/true", NULL }, *const argv_usr[] = { "/usr/bin/true", NULL }, *const env[] = { NULL };
  static const struct weir_stdio stdio = { WEIR_SIZED (struct weir_stdio), .fd = { -1, -1, -1 } };
  struct weir_command command = { WEIR_SIZED (struct weir_command), .argv = access (argv[0], X_OK) == 0 ? argv : argv_usr,
                                  .env = env, .cwd = "/" };
  struct weir_process process = { WEIR_SIZED (struct weir_process), .streams = { -1, -1, -1 }, .ended = -1 };
  weir_call call = { WEIR_SIZED (weir_call), .cancel = -1, .deadline_ms = util_now_ms () + 10000 };
  struct weir_exit end = { WEIR_SIZED (struct weir_exit) };
  struct weir_plan *plan = plan_new (&command, err);
  weir_status status;

  if (plan == NULL)
    return WEIR_E_NOMEM;
  for (size_t i = 0; i < count; i++)
    plan_step (plan, &steps[i]);
  plan_step (plan, &(struct weir_step){ WEIR_SIZED (struct weir_step), .kind = WEIR_STEP_SUPERVISE });
  status = plan->sticky != NULL ? error_move (err, steal (plan->sticky)) : process_spawn (&call, plan, &stdio, &process, err);
  if (status == WEIR_OK) {
    status = process_wait (&call, &process, &end, err);
    if (status == WEIR_OK && (end.kind != WEIR_EXIT_EXITED || end.code != 0))
      status = error_set (err, WEIR_E_RUNNER, end.errnum, "the child ended otherwise than it should (kind %u, code %d, %s)", end.kind,
                          end.code, plan_step_name (end.step));
    process_release (&process, NULL);
  }
  plan_free (plan);
  return status;
}

static char *
doctor_sysctls (void)
{
  static const char *const names[] = { "kernel/unprivileged_userns_clone", "user/max_user_namespaces",
                                       "kernel/apparmor_restrict_unprivileged_userns" };
  struct strbuf b = { 0 };

  for (size_t i = 0; i < ARRAY_SIZE (names); i++) {
    auto_free char *path = util_fmt ("/proc/sys/%s", names[i]);
    auto_free char *value = path == NULL ? NULL : util_read_file (AT_FDCWD, path, 64, NULL);
    if (value != NULL)
      strbuf_fmt (&b, "%s%s = %.*s", b.size > 0 ? ", " : "", names[i], (int) strcspn (value, "\n"), value);
  }
  return strbuf_steal (&b);
}

#define DOCTOR_NAMESPACES(f) { WEIR_SIZED (struct weir_step), .kind = WEIR_STEP_NAMESPACES, .flags = (f) }

static void
doctor_namespaces (struct doctor *d)
{
  static const struct weir_step plain[] = { DOCTOR_NAMESPACES (WEIR_NS_MOUNT | WEIR_NS_PID) };
  auto_error weir_error *error = NULL;
  char *sysctls;

  if (doctor_try (plain, ARRAY_SIZE (plain), &error) == WEIR_OK) {
    doctor_add (d, "system", "user-namespaces", DOCTOR_OK, NULL, NULL, "user, mount and pid namespaces can be made");
    return;
  }
  sysctls = doctor_sysctls ();
  doctor_add (d, "system", "user-namespaces", DOCTOR_WARN,
              util_fmt ("%s%s%s", weir_error_message (error), sysctls == NULL || sysctls[0] == '\0' ? "" : "\n",
                        sysctls == NULL ? "" : sysctls),
              strdup ("allow them: sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces=15000, "
                      "kernel.apparmor_restrict_unprivileged_userns=0; in a container, run it with a seccomp profile that allows "
                      "clone and unshare"),
              "user namespaces are refused; less can be enforced without them");
  free (sysctls);
}

/* One more step in fresh namespaces; pointless where there are none.  */
static void
doctor_step (struct doctor *d, const char *id, const struct weir_step *steps, size_t count, const char *good, const char *bad,
             const char *fix)
{
  auto_error weir_error *error = NULL;

  if (doctor_try (steps, count, &error) == WEIR_OK)
    doctor_add (d, "system", id, DOCTOR_OK, NULL, NULL, "%s", good);
  else
    doctor_add (d, "system", id, DOCTOR_WARN, strdup (weir_error_message (error)), strdup (fix), "%s", bad);
}

static void
doctor_steps (struct doctor *d)
{
  static const struct weir_step proc[]
    = { DOCTOR_NAMESPACES (WEIR_NS_MOUNT | WEIR_NS_PID), { WEIR_SIZED (struct weir_step), .kind = WEIR_STEP_PROC } };
  static const struct weir_step network[] = { DOCTOR_NAMESPACES (WEIR_NS_MOUNT | WEIR_NS_PID | WEIR_NS_NETWORK),
                                              { WEIR_SIZED (struct weir_step), .kind = WEIR_STEP_LOOPBACK_UP } };
  static const struct weir_step seccomp[]
    = { { WEIR_SIZED (struct weir_step), .kind = WEIR_STEP_NO_NEW_PRIVILEGES },
        { WEIR_SIZED (struct weir_step), .kind = WEIR_STEP_SECCOMP, .flags = WEIR_SECCOMP_BASE } };
  int namespaces = d->count > 0 && d->checks[d->count - 1].status == DOCTOR_OK;

  if (namespaces) {
    doctor_step (d, "fresh-proc", proc, ARRAY_SIZE (proc), "a new /proc can be mounted in a new pid namespace",
                 "a new /proc cannot be mounted: commands see the processes of this machine",
                 "in a container, leave parts of /proc unmasked (podman: --security-opt unmask=ALL)");
    doctor_step (d, "network-namespaces", network, ARRAY_SIZE (network), "network namespaces can be made, with loopback",
                 "network namespaces are refused: network = \"none\" and \"loopback\" are held by filters only",
                 "allow network namespaces (user.max_net_namespaces)");
  }
  else {
    doctor_add (d, "system", "fresh-proc", DOCTOR_SKIP, NULL, NULL, "not tried: it needs user namespaces");
    doctor_add (d, "system", "network-namespaces", DOCTOR_SKIP, NULL, NULL, "not tried: it needs user namespaces");
  }
  doctor_step (d, "seccomp", seccomp, ARRAY_SIZE (seccomp), "seccomp filters can be loaded", "seccomp filters are refused",
               "use a kernel with CONFIG_SECCOMP_FILTER; in a container, allow the seccomp system call");
}

static void
doctor_init (struct doctor *d)
{
  int fd = init_fd ();

  if (fd >= 0)
    doctor_add (d, "system", "supervisor", DOCTOR_OK, NULL, NULL, "the supervisor of commands can be executed from memory");
  else
    doctor_add (d, "system", "supervisor", DOCTOR_FAIL, NULL, strdup ("set sysctl vm.memfd_noexec to 0 or 1"),
                "the supervisor of commands has no executable memory file: %s", strerrorname_np (errno));
}

static void
doctor_proc (struct doctor *d)
{
  if (access ("/proc/self/fd", R_OK | X_OK) == 0)
    doctor_add (d, "system", "proc", DOCTOR_OK, NULL, NULL, "/proc is mounted");
  else
    doctor_add (d, "system", "proc", DOCTOR_FAIL, NULL, strdup ("mount it: mount -t proc proc /proc"), "/proc is not mounted");
}

static void
doctor_tmp (struct doctor *d)
{
  struct statvfs st;
  uint64_t left;
  char text[32];

  if (statvfs ("/tmp", &st) != 0 || access ("/tmp", W_OK | X_OK) != 0) {
    doctor_add (d, "system", "tmp", DOCTOR_WARN, NULL, strdup ("mkdir -m 1777 /tmp"), "/tmp cannot be used: %s", strerrorname_np (errno));
    return;
  }
  left = (uint64_t) st.f_bavail * st.f_frsize;
  units_print_size (left, text);
  if (left < DOCTOR_TMP_LEAST)
    doctor_add (d, "system", "tmp", DOCTOR_WARN, NULL, strdup ("free some space on the file system of /tmp"),
                "only %s are left for /tmp", text);
  else
    doctor_add (d, "system", "tmp", DOCTOR_OK, NULL, NULL, "%s are left for /tmp", text);
}

void
doctor_system (struct doctor *d)
{
  doctor_kernel (d);
  doctor_landlock (d);
  doctor_namespaces (d);
  doctor_steps (d); /* looks at the check before */
  doctor_init (d);
  doctor_proc (d);
  doctor_tmp (d);
}
