/* weir run: a command, confined; its streams, its signals, its exit status.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/run.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/print.h"
#include "cli/signals.h"

struct run {
  struct cli *cli;
  weir_job *job;
  int signal_fd;
  int cancel_fd;
  int ends; /* how often somebody asked for the end */
  struct pty pty;
};

static int
run_on_terminal (const struct cli *cli)
{
  return isatty (0) && isatty (1) && isatty (2) && !cli->json;
}

/* Which streams the command gets.  0, or an exit status.  */
static int
run_streams (struct cli *cli)
{
  struct weir_request *r = &cli->request;

  if (cli->tty == WHEN_ALWAYS && cli->json)
    return cli_usage (cli, "-t and --json cannot be together: a terminal's output is not collected");
  if (cli->tty == WHEN_ALWAYS && !isatty (0))
    return cli_usage (cli, "-t: standard input is not a terminal");
  if (cli->json && cli->closed[1])
    return cli_usage (cli, "--json: standard output is closed");
  if (cli->tty == WHEN_ALWAYS || (cli->tty == WHEN_AUTO && run_on_terminal (cli))) {
    for (int i = 0; i < 3; i++)
      r->stream[i] = WEIR_STREAM_PTY;
    pty_size (r);
    return 0;
  }
  for (int i = 0; i < 3; i++) {
    r->stream_fd[i] = i;
    r->stream[i] = i == 0 ? WEIR_STREAM_INHERIT : cli->json ? WEIR_STREAM_COLLECT : WEIR_STREAM_TEE;
    if (r->stream[i] == WEIR_STREAM_COLLECT || cli->closed[i])
      r->stream_fd[i] = -1;
    if (cli->closed[i] && r->stream[i] != WEIR_STREAM_COLLECT)
      r->stream[i] = WEIR_STREAM_NULL;
  }
  return 0;
}

static void
run_cancel (const struct run *run)
{
  uint64_t one = 1;
  ssize_t n = write (run->cancel_fd, &one, sizeof one);

  (void) n; /* fails only when it is cancelled already */
}

/* A stop that reaches us stops the command first: it is in a session of its own, where the terminal's stop key means nothing.  */
static void
run_stop (struct run *run)
{
  weir_job_signal (run->job, WEIR_SIGNAL_TREE, SIGSTOP, NULL);
  pty_pause (&run->pty);
  signals_stop_self ();
  pty_continue (&run->pty);
  weir_job_signal (run->job, WEIR_SIGNAL_TREE, SIGCONT, NULL);
}

static void
run_signals (struct run *run)
{
  int signo;

  while ((signo = signals_next (run->signal_fd)) != 0)
    switch (signo) {
    case SIGWINCH:
      pty_resized (&run->pty);
      break;
    case SIGCONT: /* after a SIGSTOP that nobody could see coming */
      pty_continue (&run->pty);
      break;
    case SIGTSTP:
      run_stop (run);
      break;
    case SIGUSR1:
    case SIGUSR2:
      weir_job_signal (run->job, WEIR_SIGNAL_GROUP, signo, NULL);
      break;
    default:
      /* The first is the command's to obey; who asks again means it.  */
      if (run->ends++ == 0)
        weir_job_signal (run->job, WEIR_SIGNAL_GROUP, signo, NULL);
      else
        run_cancel (run);
    }
}

static weir_status
run_loop (struct run *run, weir_error **err)
{
  struct pollfd polls[2 + PTY_POLLS];

  for (;;) {
    int done = 0;
    weir_status st = weir_job_step (run->job, &done, err);

    if (st != WEIR_OK || done)
      return st;
    polls[0] = (struct pollfd) { .fd = (int) weir_job_fd (run->job), .events = POLLIN };
    polls[1] = (struct pollfd) { .fd = run->signal_fd, .events = POLLIN };
    pty_polls (&run->pty, polls + 2);
    if (poll (polls, sizeof polls / sizeof polls[0], -1) < 0) {
      if (errno != EINTR)
        return WEIR_E_IO;
      continue;
    }
    pty_move (&run->pty, polls + 2);
    run_signals (run);
  }
}

/* Says or prints what became of it.  Returns the exit status.  */
static int
run_report (const struct cli *cli, const weir_result *result, weir_error *err)
{
  int status = result != NULL ? weir_result_exit_status (result) : cli_status (err), lost;

  if (cli->json)
    json_result (result, err, status);
  else if (result != NULL) {
    if (weir_result_outcome (result) == WEIR_OUTCOME_RUNNER_FAILED)
      print_say (cli, "the sandbox '%s' could not be set up; the command did not run",
                 weir_result_provider (result) != NULL ? weir_result_provider (result) : "none");
    print_denials (cli, result);
    print_ending (cli, result);
  } else
    print_error (cli, err);
  lost = cli->json ? print_flush (cli) : 0;
  return lost != 0 ? lost : status;
}

static int
run_job (struct run *run, weir_runtime *runtime)
{
  weir_result *result = NULL;
  weir_error *err = NULL;
  weir_status st;
  int status;

  signals_cancels (run->cancel_fd);
  st = weir_start (runtime, options_request (run->cli), &run->job, &err);
  signals_cancels (-1);
  if (st == WEIR_OK) {
    if (run->cli->request.stream[0] == WEIR_STREAM_PTY)
      pty_open (&run->pty, run->job);
    st = run_loop (run, &err);
    pty_close (&run->pty); /* the last of the output, before the result is made of it */
    if (st == WEIR_OK)
      st = weir_job_wait (run->job, &result, &err);
  }
  status = run_report (run->cli, st == WEIR_OK ? result : NULL, err);
  weir_result_free (result);
  weir_error_free (err);
  weir_job_free (run->job);
  return status;
}

static int
run_run (struct cli *cli, int argc, char **argv)
{
  static const int plain[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP, SIGWINCH, SIGCONT, 0 };
  struct run run = { .cli = cli };
  weir_error *err = NULL;
  weir_runtime *runtime;
  int status;

  if (argc == 0)
    return cli_usage (cli, "no command given to run");
  cli->request.argv = (const char *const *) argv;
  status = run_streams (cli);
  if (status != 0)
    return status;
  run.signal_fd = signals_open (plain);
  run.cancel_fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (run.signal_fd < 0 || run.cancel_fd < 0) {
    print_say (cli, "prepare for signals: %s", strerror (errno));
    return EXIT_WEIR;
  }
  cli->request.cancel_fd = run.cancel_fd;
  runtime = cli_runtime (cli, WEIR_RUNTIME_ONE_SHOT, &err);
  if (runtime == NULL) {
    status = run_report (cli, NULL, err);
    weir_error_free (err);
    return status;
  }
  status = run_job (&run, runtime);
  weir_runtime_free (runtime);
  close (run.cancel_fd);
  return status;
}

static const struct option_spec *const run_tables[] = { options_run, options_policy, options_global, NULL };

const struct command command_run = {
  .name = "run",
  .summary = "Run a command, confined",
  .operands = "[--] COMMAND [ARGUMENT]...",
  .example = "  weir run -- make check\n"
             "  weir run -m read-only --network none --timeout 5m -- ./configure --help\n",
  .text = "Exit status: the command's own; 124 time-out; 125 weir failed, wrong usage, or the sandbox is unavailable\n"
          "and nothing ran; 126 refused by the policy or not executable; 127 not found; 128+N ended by signal N;\n"
          "137 with a named limit when a limit ended it.\n",
  .tables = run_tables,
  .stops = 1,
  .run = run_run,
};
