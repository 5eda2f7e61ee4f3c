/* SPDX-License-Identifier: Apache-2.0 */
/* The processes beneath a subreaper.  */
#ifndef WEIR_INIT_TREE_H
#define WEIR_INIT_TREE_H

/* Sends a signal to every descendant that /proc shows.  */
void tree_signal (int signo);
/* Kills every descendant, those that left the session included, and reaps.  reaped is told of each child.  Returns how
 * many could not be ended in the time that tree.c allows: 0, all are gone.  */
int tree_kill (void (*reaped) (int pid, int status, const void *rusage));

#endif
