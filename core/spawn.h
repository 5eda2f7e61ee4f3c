/* Local processes: the host functions process_* (spawn.c, process.c), by which a plan is carried out in a child that this
 * process makes.  See plugin.h for their contracts.  */
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

/* runner.c: the absolute path of a runner by name in the trusted directories (/usr/local/bin /usr/bin /bin), or of an absolute
 * path; judged by trust.h.  fd, when not NULL: what was judged, to be executed.  */
weir_status runner_find (const char *name, char **path, int *fd, weir_error **);

/* The embedded init (init/): bytes of a static freestanding executable, and a sealed executable memory file of it, made once
 * per process.  -1: errno.  */
extern const unsigned char init_bytes[];
extern const size_t init_size;
int init_fd (void);

#endif
