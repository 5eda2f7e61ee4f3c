/* weir doctor: checks that are done, not looked up, each with what to do about it.  */
#ifndef WEIR_CORE_DOCTOR_H
#define WEIR_CORE_DOCTOR_H

#include "core/exec.h"

enum doctor_status { DOCTOR_OK, DOCTOR_SKIP, DOCTOR_WARN, DOCTOR_FAIL };

struct doctor_check {
  char *id, *category, *summary, *details, *fix; /* details, fix: NULL when there are none */
  enum doctor_status status;
};
struct doctor {
  weir_runtime *rt;
  struct doctor_check *checks;
  size_t count;
  int usable; /* sandboxes that work */
  int failed; /* out of memory */
};
/* details and fix may be NULL and are owned.  */
struct doctor_check *doctor_add (struct doctor *, const char *category, const char *id, enum doctor_status, char *details, char *fix,
                                 const char *summary, ...) __attribute__ ((format (printf, 7, 8)));
/* doctor-system.c: what the kernel and the machine offer.  */
void doctor_system (struct doctor *);
/* doctor-sandbox.c: each sandbox of the chain, by running a command that tries to write inside and outside.  */
void doctor_sandboxes (struct doctor *);

#endif
