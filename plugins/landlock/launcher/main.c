/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "plugins/landlock/launcher/launcher.h"

#include <string.h>

int
main (int argc, char **argv)
{
  return argc > 1 && strncmp (argv[1], "--weir-", 7) == 0 ? plan_main (argc, argv) : compat_main (argc, argv);
}
