/* What is known of this machine (WEIR_FACT_*).  Measured where that is cheap (the Landlock ABI, the uid), assumed where
 * only doing it tells, and taken back when the step that needed it failed.  Thread-safe.  */
#ifndef WEIR_CORE_FACTS_H
#define WEIR_CORE_FACTS_H

#include <stdatomic.h>
#include <weir/plugin.h>

struct facts {
  _Atomic uint64_t value[WEIR_FACT_COUNT_];
};
void facts_init (struct facts *);
void facts_snapshot (struct facts *, uint64_t out[WEIR_FACT_COUNT_]);
void facts_take_back (struct facts *, uint32_t which);
const char *facts_name (uint32_t which);

#endif
