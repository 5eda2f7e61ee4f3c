/* weir run: what its files share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WEIR_CLI_RUN_H
#define WEIR_CLI_RUN_H

#include <poll.h>
#include <termios.h>

#include "cli/cli.h"

/* ---- run-pty.c: our terminal, proxied to the command's --------------------------------------------- */

struct pty_flow { /* bytes on their way */
  char data[4096];
  size_t start, end;
  int from_ended, to_ended;
};

struct pty {
  int active;
  int raw;
  struct termios saved; /* how the terminal was */
  weir_job *job;
  int master;           /* the job's; not ours to close */
  struct pty_flow in, out;
};
#define PTY_POLLS 4

/* The size of our terminal, into the request.  */
void pty_size (struct weir_request *);
/* Makes the terminal raw and starts to proxy.  Whatever ends this process from here on, the terminal is put back.  */
void pty_open (struct pty *, weir_job *);
/* Fills in PTY_POLLS entries; those with nothing to wait for get the descriptor -1.  */
void pty_polls (struct pty *, struct pollfd *);
/* Moves what can be moved.  */
void pty_move (struct pty *, const struct pollfd *);
void pty_resized (struct pty *);
/* Around a stop of this process.  */
void pty_pause (struct pty *);
void pty_continue (struct pty *);
/* What the command had written before it ended; then the terminal is as it was.  */
void pty_close (struct pty *);

/* ---- run-json.c ----------------------------------------------------------------------------------- */

/* One object for what became of the call: a result, or an error, or neither when out of memory.  status: what weir exits
 * with.  */
void json_result (const weir_result *, const weir_error *, int status);

#endif
