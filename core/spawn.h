/* Local processes: the host functions process_* (spawn.c, process.c), by which a plan is carried out in a child that
 * this process makes.  See plugin.h for their contracts; and these are ours:
 *
 * Every command runs beneath Weir's init, whether the plan has a SUPERVISE step or not, except that a plan with
 * inner_init has it inside its runner.  So what is left of the command's tree when the command ends is killed, and
 * nothing outlives us.
 *
 * process_spawn returns WEIR_OK only when the command's exec happened (a foreign runner's, which WEIR_EXIT_FROM_RUNNER
 * tells). Before that: WEIR_E_NO_PROGRAM or WEIR_E_NOT_EXECUTABLE for the command's program, WEIR_E_INVALID for streams
 * that are not open, WEIR_E_CONFLICT for a path that was replaced, WEIR_E_RUNNER for a step or stage that failed, and
 * the plan's failed_* fields (plan.h) say which.  Our ends of pipes and terminals are non-blocking.
 *
 * No handler is installed and the signal mask is as before.  A child that executed a program tells its parent with
 * SIGCHLD, whatever it was made with (execve(2)); an embedder whose waitpid (-1), or ignored SIGCHLD, takes it away
 * from us does no harm, since how a command ended is learnt from the init and that it ended from a pidfd.  */
#ifndef WEIR_CORE_SPAWN_H
#define WEIR_CORE_SPAWN_H

#include "core/plan.h"

weir_status process_spawn (const weir_call *, const weir_plan *, const struct weir_stdio *, struct weir_process *,
                           weir_error **);
weir_status process_wait (const weir_call *, struct weir_process *, struct weir_exit *, weir_error **);
weir_status process_signal (const weir_call *, struct weir_process *, uint32_t scope, int signo, weir_error **);
weir_status process_resize (struct weir_process *, uint16_t rows, uint16_t columns, weir_error **);
weir_status process_close_stdin (struct weir_process *, weir_error **);
weir_status process_release (struct weir_process *, weir_error **);

/* runner.c: the absolute path of a runner by name in the trusted directories (/usr/local/bin /usr/bin /bin; the first
 * that has the name, trusted or not), or of an absolute path; judged by trust.h, the interpreter of a script too.  fd,
 * when not NULL: what was judged, to be executed; -1: a script, which the kernel can execute by its path only.  */
weir_status runner_find (const char *name, char **path, int *fd, weir_error **);

/* The embedded init (init/): bytes of a static freestanding executable, and a sealed executable memory file of it, made
 * once per process.  -1: errno.  */
extern const unsigned char init_bytes[];
extern const size_t init_size;
int init_fd (void);

#endif
