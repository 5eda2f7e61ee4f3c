/* SPDX-License-Identifier: Apache-2.0 */
/* What Weir's init (init/init.c), the spawner, plan_supervisor and the launcher agree on.
 *
 * The init is executed with
 *
 *   argv[0] WEIR_INIT_NAME   argv[1] REPORT   argv[2] HARNESS   argv[3] program   argv[4...] its arguments
 *
 * and the command's environment.  REPORT and HARNESS are decimal descriptor numbers, open in the init and not
 * close-on-exec: the init's end of a SOCK_SEQPACKET socket pair, and a pidfd of the harness ("-1": none).  As pid 1 it is
 * the init of its pid namespace; otherwise it makes itself a subreaper.
 *
 * Whoever starts it puts one INIT_START message into the other end of REPORT before, as a rule.  Nothing that depends on how
 * the command is started (a terminal, descriptors) is therefore in argv, which a sandbox writes before that is known.  A
 * runner that executes the init by name does so as "/proc/self/fd/N" (WEIR_FD_INIT).
 *
 * Each packet, in both directions, is one struct init_message.  The init sends INIT_STARTED or INIT_FAILED, then
 * INIT_ENDED when the command has ended, then INIT_GONE when nothing of its tree is left (as pid 1: its own end says
 * that, and there is no message), and ends with status 0.  A hang-up of REPORT, or the death of the harness, makes it
 * kill all and end.
 *
 * Freestanding: includes nothing but stdint.h.  */
#ifndef WEIR_CORE_INIT_PROTOCOL_H
#define WEIR_CORE_INIT_PROTOCOL_H

#include <stdint.h>

#define WEIR_INIT_NAME "weir-init"
#define WEIR_INIT_ARGC 3 /* the program's index in argv */

/* To the init.  */
#define INIT_START 1  /* flags, fds */
#define INIT_SIGNAL 2 /* what: WEIR_SIGNAL_LEADER, _GROUP or _TREE; code: the signal.  TREE with SIGKILL ends the init too */
/* From the init.  */
#define INIT_STARTED 11 /* the command's exec happened; code: its pid as the init sees it.  With INIT_SEND_PIDFD the packet
                           carries a pidfd of the init (SCM_RIGHTS) */
#define INIT_FAILED 12  /* it did not; what: WEIR_STAGE_*; code: errno; flags: INIT_PROGRAM_EXISTS */
#define INIT_ENDED 13   /* what: INIT_EXITED or INIT_SIGNALLED; code; the usage */
#define INIT_GONE 14    /* code: 0, or how many processes could not be killed */

#define INIT_TERMINAL 1u   /* of START: descriptor 0 becomes the controlling terminal */
#define INIT_SEND_PIDFD 2u /* of START */
#define INIT_UNWRAP 4u     /* of START: the command's environment is what begins with INIT_WRAP, without it; the rest is not its */

/* A runner is not confined yet when it reads its environment, and "LD_PRELOAD" would be code in it.  What is meant for the
 * command therefore passes through it under names that mean nothing to anybody.  */
#define INIT_WRAP "WEIR:"

#define INIT_PROGRAM_EXISTS 1u /* of FAILED: there is a file of that name: its interpreter is what is missing */

#define INIT_EXITED 1
#define INIT_SIGNALLED 2

struct init_message {
  uint32_t kind; /* INIT_* */
  uint32_t flags;
  int32_t what;
  int32_t code;
  /* Of START.  All but these and 0, 1 and 2 are closed in the command.  */
  int32_t ruleset_fd; /* a Landlock ruleset that only the command is put under, -1: none: it keeps a command of the same
                         user, in the same pid namespace, from signalling the init */
  int32_t program_fd; /* executed instead of argv's program, -1: none */
  int32_t last_fd;    /* the command keeps the descriptors up to this one; at least 2 */
  int32_t reserved;
  /* Of ENDED.  */
  uint64_t cpu_usec;
  uint64_t max_rss; /* bytes */
};

#endif
