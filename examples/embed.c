/* A program that runs a command confined through libweir, shows what became of it, and drives a second one from its own poll
 * loop.
 *
 *   cc embed.c $(pkg-config --cflags --libs weir) && ./a.out DIRECTORY
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include <weir/weir.h>

/* An error says what was tried, why it failed (its causes), and what can be done (its hints).  */
static int
complain (weir_error *err)
{
  const char *hint;

  fprintf (stderr, "%s: %s\n", weir_status_name (weir_error_code (err)), weir_error_message (err));
  for (const weir_error *e = weir_error_cause (err); e != NULL; e = weir_error_cause (e))
    fprintf (stderr, "  because: %s\n", weir_error_message (e));
  for (size_t i = 0; (hint = weir_error_hint_at (err, i)) != NULL; i++)
    fprintf (stderr, "  hint: %s\n", hint);
  weir_error_free (err);
  return 1;
}

static void
show (const weir_result *result)
{
  static const char *const enforcements[] = { "none", "partial", "full" };
  const char *provider = weir_result_provider (result), *gap;
  struct weir_output out = { .struct_size = (uint32_t) sizeof out };
  struct weir_denial denial = { .struct_size = (uint32_t) sizeof denial };

  weir_result_output (result, 1, &out);
  printf ("exit status %d, enforcement %s by %s, %zu of %llu bytes of output:\n", weir_result_exit_status (result),
          enforcements[weir_result_enforcement (result)], provider != NULL ? provider : "nobody", out.size,
          (unsigned long long) out.total);
  fwrite (out.data, 1, out.size, stdout);
  for (size_t i = 0; weir_result_denial (result, i, &denial); i++)
    printf ("denied: %s %s: %s\n", denial.operation, denial.path != NULL ? denial.path : "(path not known)", denial.rule);
  for (size_t i = 0; (gap = weir_result_gap (result, i)) != NULL; i++)
    printf ("not governed: %s\n", gap);
}

/* Blocks until the command has ended; its output is collected, within the limit of the configuration.  */
static int
run_and_wait (weir_runtime *runtime, const char *workspace)
{
  static const char *const argv[] = { "sh", "-c", "echo kept >inside; cat inside; echo lost >/etc/outside", NULL };
  struct weir_request request = WEIR_REQUEST_INIT;
  weir_result *result;
  weir_error *err = NULL;

  request.argv = argv;
  request.workspace = workspace;
  request.mode = WEIR_MODE_WORKSPACE_WRITE;
  request.timeout_ms = 60000;
  request.stream[0] = WEIR_STREAM_NULL;
  if (weir_run (runtime, &request, &result, &err) != WEIR_OK)
    return complain (err); /* nothing ran */
  show (result);
  weir_result_free (result);
  return 0;
}

/* The same without blocking: the job's descriptor stands in a poll loop among others.  */
static int
run_in_a_loop (weir_runtime *runtime, const char *workspace)
{
  static const char *const argv[] = { "sh", "-c", "echo from the loop", NULL };
  struct weir_request request = WEIR_REQUEST_INIT;
  weir_result *result;
  weir_error *err = NULL;
  weir_job *job;
  int done = 0;

  request.argv = argv;
  request.workspace = workspace;
  request.mode = WEIR_MODE_READ_ONLY;
  request.stream[0] = WEIR_STREAM_NULL;
  if (weir_start (runtime, &request, &job, &err) != WEIR_OK)
    return complain (err);
  while (weir_job_step (job, &done, &err) == WEIR_OK && !done) {
    struct pollfd wait = { .fd = (int) weir_job_fd (job), .events = POLLIN };

    poll (&wait, 1, -1);
  }
  if (err == NULL && weir_job_wait (job, &result, &err) == WEIR_OK) {
    show (result);
    weir_result_free (result);
  }
  weir_job_free (job); /* kills what still runs, after an error */
  return err != NULL ? complain (err) : 0;
}

int
main (int argc, char **argv)
{
  const struct weir_runtime_options options = { .struct_size = (uint32_t) sizeof options,
                                                .config = getenv ("EMBED_CONFIG"),
                                                .plugin_dir = getenv ("EMBED_PLUGIN_DIR"),
                                                .state_dir = getenv ("EMBED_STATE_DIR") };
  const char *workspace = argc > 1 ? argv[1] : ".";
  weir_runtime *runtime;
  weir_error *err = NULL;
  int failed;

  if (weir_runtime_new (&options, &runtime, &err) != WEIR_OK)
    return complain (err);
  failed = run_and_wait (runtime, workspace) || run_in_a_loop (runtime, workspace);
  weir_runtime_free (runtime);
  return failed;
}
