/* SPDX-License-Identifier: Apache-2.0
 *
 * What it costs to run a command confined, as ratios against a bare posix_spawn and a bare bubblewrap, all measured in
 * turn in one run, so that the machine's moods hit each alike.
 *
 *   spawn [-n ROUNDS] [-b BALLAST_MIB] [-w WEIR] [-c CONFIG] [-o CASE] WORKSPACE
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <weir/weir.h>

extern char **environ;

struct arm {
  const char *name;
  const char *sandbox;      /* through libweir: its name; "": danger-full-access */
  const char *const *set;   /* configuration of its runtime */
  uint32_t network;
  const char *const *argv;  /* through posix_spawn instead */
  const char *against;      /* the arm that the ratio is of */
  double target;            /* 0: none */
  weir_runtime *runtime;
  double *samples;
  size_t count;
  long max_rss;             /* KiB of the child, as wait4 tells it; 0: not measured */
};

static const char *workspace = ".", *weir = "weir", *config;
static const char *const true_argv[] = { "/bin/true", NULL };

static double
spawn_now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e6 + (double) t.tv_nsec / 1e3;
}

static int
spawn_failed (const char *arm, const weir_error *error)
{
  for (; error != NULL; error = weir_error_cause (error))
    fprintf (stderr, "spawn: %s: %s\n", arm, weir_error_message (error));
  return -1;
}

static int
spawn_bare (struct arm *a)
{
  posix_spawn_file_actions_t actions;
  struct rusage usage;
  pid_t pid;
  int status = 0, failed;

  posix_spawn_file_actions_init (&actions);
  posix_spawn_file_actions_addopen (&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen (&actions, 1, "/dev/null", O_WRONLY, 0);
  failed = posix_spawnp (&pid, a->argv[0], &actions, NULL, (char *const *) a->argv, environ);
  posix_spawn_file_actions_destroy (&actions);
  if (failed != 0 || wait4 (pid, &status, 0, &usage) != pid || status != 0) {
    fprintf (stderr, "spawn: %s: status %#x, %s\n", a->name, (unsigned) status, strerror (failed));
    return -1;
  }
  if (usage.ru_maxrss > a->max_rss)
    a->max_rss = usage.ru_maxrss;
  return 0;
}

static int
spawn_library (struct arm *a)
{
  struct weir_request request = WEIR_REQUEST_INIT;
  weir_result *result = NULL;
  weir_error *error = NULL;
  int ok;

  request.argv = true_argv;
  request.workspace = workspace;
  request.mode = a->sandbox[0] == '\0' ? WEIR_MODE_DANGER_FULL_ACCESS : WEIR_MODE_WORKSPACE_WRITE;
  request.sandbox = a->sandbox[0] == '\0' ? NULL : a->sandbox;
  request.network_set = 1;
  request.network = a->network;
  request.session = "bench";
  request.stream[0] = request.stream[1] = request.stream[2] = WEIR_STREAM_NULL;
  if (weir_run (a->runtime, &request, &result, &error) != WEIR_OK) {
    spawn_failed (a->name, error);
    weir_error_free (error);
    return -1;
  }
  ok = weir_result_outcome (result) == WEIR_OUTCOME_EXITED && weir_result_code (result) == 0;
  if (!ok)
    fprintf (stderr, "spawn: %s: outcome %d, code %d\n", a->name, weir_result_outcome (result), weir_result_code (result));
  weir_result_free (result);
  return ok ? 0 : -1;
}

static int
spawn_once (struct arm *a)
{
  double start = spawn_now ();

  if ((a->argv != NULL ? spawn_bare (a) : spawn_library (a)) != 0)
    return -1;
  a->samples[a->count++] = spawn_now () - start;
  return 0;
}

static int
spawn_runtime (struct arm *a)
{
  struct weir_runtime_options options = { .struct_size = sizeof options, .config = config, .set = a->set };
  weir_error *error = NULL;

  if (a->argv != NULL || weir_runtime_new (&options, &a->runtime, &error) == WEIR_OK)
    return 0;
  spawn_failed (a->name, error);
  weir_error_free (error);
  return -1;
}

static int
spawn_compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

static double
spawn_median (const struct arm *arms, size_t count, const char *name)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp (arms[i].name, name) == 0 && arms[i].count > 0)
      return arms[i].samples[arms[i].count / 2];
  return 0;
}

static void
spawn_table (const struct arm *arms, size_t count)
{
  printf ("| through | min us | median us | p95 us | x | of | target | peak RSS KiB |\n|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < count; i++) {
    const struct arm *a = &arms[i];
    double base = a->count == 0 || a->against == NULL ? 0 : spawn_median (arms, count, a->against);

    if (a->count == 0)
      continue;
    printf ("| %s | %.0f | %.0f | %.0f | ", a->name, a->samples[0], a->samples[a->count / 2], a->samples[a->count * 95 / 100]);
    if (base > 0)
      printf ("%.2f | %s | ", a->samples[a->count / 2] / base, a->against);
    else
      printf (" | | ");
    if (a->target > 0)
      printf ("%.2f | ", a->target);
    else
      printf (" | ");
    if (a->max_rss > 0)
      printf ("%ld |\n", a->max_rss);
    else
      printf (" |\n");
  }
}

static int
spawn_ballast (size_t mib)
{
  char *p;

  if (mib == 0)
    return 0;
  p = mmap (NULL, mib << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    return -1;
  madvise (p, mib << 20, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < mib << 20; i += 4096)
    p[i] = 1;
  return 0;
}

int
main (int argc, char **argv)
{
  size_t rounds = 200, ballast = 0;
  const char *only = NULL;
  int option;

  while ((option = getopt (argc, argv, "n:b:w:c:o:")) != -1)
    switch (option) {
    case 'n': rounds = strtoul (optarg, NULL, 10); break;
    case 'b': ballast = strtoul (optarg, NULL, 10); break;
    case 'w': weir = optarg; break;
    case 'c': config = optarg; break;
    case 'o': only = optarg; break;
    default: return 2;
    }
  if (optind + 1 != argc || rounds == 0)
    return 2;
  workspace = argv[optind];
  if (chdir (workspace) != 0 || spawn_ballast (ballast) != 0) {
    perror (workspace);
    return 1;
  }

  static const char *const off[] = { "plugins.landlock.namespaces=off", NULL };
  const char *const bwrap_argv[]
    = { "bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--unshare-pid", "--unshare-ipc", "--proc", "/proc",
        "--die-with-parent", "--tmpfs", "/tmp", "--bind", workspace, workspace, "--chdir", workspace, "--cap-drop", "ALL",
        "--", "/bin/true", NULL };
  const char *const run_landlock[] = { weir, "run", "-m", "workspace-write", "--sandbox", "landlock", "--", "/bin/true", NULL };
  const char *const run_config[]
    = { weir, "--config", config, "run", "-m", "workspace-write", "--sandbox", "landlock", "--", "/bin/true", NULL };
  struct arm arms[] = {
    { "bare posix_spawn", .argv = true_argv },
    { "libweir, danger-full-access", "", .against = "bare posix_spawn" },
    { "libweir, landlock", "landlock", .against = "bare posix_spawn", .target = 2.0 },
    { "libweir, landlock, network none", "landlock", .network = WEIR_NETWORK_NONE, .against = "bare posix_spawn", .target = 2.5 },
    { "libweir, landlock without namespaces", "landlock", off, .against = "bare posix_spawn", .target = 1.7 },
    { "libweir, bwrap", "bwrap", .against = "bare bwrap", .target = 1.25 },
    { "bare bwrap", .argv = bwrap_argv, .against = "bare posix_spawn" },
    { "weir run, landlock", .argv = config != NULL ? run_config : run_landlock, .against = "bare bwrap", .target = 1.0 },
  };
  size_t count = sizeof arms / sizeof arms[0];

  for (size_t i = 0; i < count; i++) {
    arms[i].samples = calloc (rounds, sizeof (double));
    if (arms[i].samples == NULL || ((only == NULL || strstr (arms[i].name, only) != NULL) && spawn_runtime (&arms[i]) != 0))
      return 1;
  }
  for (size_t r = 0; r < rounds; r++)
    for (size_t i = 0; i < count; i++)
      if ((only == NULL || strstr (arms[i].name, only) != NULL) && spawn_once (&arms[i]) != 0)
        return 1;
  for (size_t i = 0; i < count; i++) {
    qsort (arms[i].samples, arms[i].count, sizeof (double), spawn_compare);
    weir_runtime_free (arms[i].runtime);
  }
  printf ("%zu rounds, interleaved; uid %u; parent of %zu MiB\n\n", rounds, (unsigned) geteuid (), ballast);
  spawn_table (arms, count);
  return 0;
}
