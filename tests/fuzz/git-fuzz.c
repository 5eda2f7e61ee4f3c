/* Any bytes as git's configuration and as git's index.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"
#include "core/gitconfig.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/gitindex.h"

int LLVMFuzzerTestOneInput (const uint8_t *, size_t);

static void
fuzz_config (const char *bytes, size_t size)
{
  struct gitconfig g;

  gitconfig_parse (bytes, size, &g);
  for (size_t i = 0; i < g.count; i++) {
    auto_free char *path UNUSED = g.entries[i].value == NULL ? NULL : gitconfig_path (g.entries[i].value, "/home/u", "/base");

    gitconfig_harmless (&g.entries[i]);
    gitconfig_is_include (g.entries[i].key);
    gitconfig_boolean (g.entries[i].value);
  }
  gitconfig_last (&g, "core.hookspath");
  gitconfig_free (&g);
}

/* The index is read from a file: one that keeps its place in a directory of ours.  */
static void
fuzz_index (const uint8_t *bytes, size_t size)
{
  auto_strv struct strv links = { 0 };
  static int dirfd = -1;
  auto_close int fd = -1;

  if (dirfd < 0) {
    char path[] = "/tmp/weir-fuzz-XXXXXX";

    dirfd = mkdtemp (path) == NULL ? -1 : open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }
  fd = openat (dirfd, "index", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 || util_write_all (fd, bytes, size) != 0)
    __builtin_trap ();
  gitindex_links (dirfd, "index", size % 2 ? 20 : 32, 1000, &links);
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  if (size >= 4 && memcmp (bytes, "DIRC", 4) == 0)
    fuzz_index (bytes, size);
  else
    fuzz_config ((const char *) bytes, size);
  return 0;
}
