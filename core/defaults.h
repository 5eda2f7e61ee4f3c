/* What configure decides, with the values of a build without it.  */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_CORE_DEFAULTS_H
#define WEIR_CORE_DEFAULTS_H

#ifndef WEIR_SYSCONFDIR /* holds weir/weir.conf */
#define WEIR_SYSCONFDIR "/etc"
#endif
#ifndef WEIR_PLUGIN_DIR
#define WEIR_PLUGIN_DIR "/usr/local/lib/weir/plugins-1"
#endif
#ifndef WEIR_STATE_DIR /* of root; others have theirs beneath their home */
#define WEIR_STATE_DIR "/var/lib/weir"
#endif
/* The core knows no plugin by name: these are the names that a build ships.  */
#ifndef WEIR_DEFAULT_CHAIN
#define WEIR_DEFAULT_CHAIN "landlock,bwrap"
#endif
#ifndef WEIR_DEFAULT_WORLD
#define WEIR_DEFAULT_WORLD "local"
#endif

#endif
