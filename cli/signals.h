/* Signals that weir run receives, as numbers read from a pipe.  Handlers, not a blocked mask and not "ignore": exec resets a
 * handler, so nothing of this reaches the command.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WEIR_CLI_SIGNALS_H
#define WEIR_CLI_SIGNALS_H

/* Installs a handler for each signal of a list that ends in 0, but leaves alone what our parent had ignored (nohup).  Writes to a
 * broken pipe fail with EPIPE from here on.  Returns a descriptor to poll, -1: errno.  */
int signals_open (const int *list);
/* The next signal, 0: none.  */
int signals_next (int fd);
/* While cancel_fd is not negative, a signal that asks for the end (HUP, INT, TERM, QUIT) is also written to this eventfd, for the
 * time in which nobody reads the pipe.  */
void signals_cancels (int cancel_fd);
/* Stops this process as the terminal's stop key would, and returns when it is continued.  */
void signals_stop_self (void);

#endif
