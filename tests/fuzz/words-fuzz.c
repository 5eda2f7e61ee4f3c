/* Any bytes as the output of a command: collected in chunks, judged by the rules of last resort.  The first byte chooses how.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"
#include "core/classify.h"

#include <fcntl.h>
#include <unistd.h>

#include "core/collect.h"

int LLVMFuzzerTestOneInput (const uint8_t *, size_t);

static struct weir_plan *
fuzz_plan (void)
{
  static const char *const argv[] = { "/bin/true", NULL }, *const env[] = { NULL };
  struct weir_command command = { WEIR_SIZED (struct weir_command), .argv = argv, .env = env, .cwd = "/" };
  struct weir_plan *plan = plan_new (&command, NULL);

  plan_denial (plan, "denied");
  plan_denial (plan, "read-only file system");
  plan_failure (plan, NULL, 0, "acme: ");
  plan_informational (plan, "acme: fine");
  return plan;
}

static void
fuzz_lines (const struct weir_plan *plan, const char *text, size_t size)
{
  const char *line;
  size_t at = 0, length, before = 0;

  line = classify_runner_failure (plan, 1, text, size, &length);
  if (line != NULL && (line < text || line + length > text + size))
    __builtin_trap ();
  while ((line = classify_denial (plan, 1, text, size, &at, &length)) != NULL) {
    if (at <= before || at > size || line + length > text + size)
      __builtin_trap ();
    before = at;
    free (classify_path (line, length, "/w"));
    classify_operation (line, length);
  }
  free (classify_path (text, size, NULL));
  free (classify_path (text, size, "/w"));
  classify_operation (text, size);
}

/* Whatever the chunks are, the bytes that are kept are the last (or first) of the stream.  */
static void
fuzz_collect (unsigned choice, const char *text, size_t size)
{
  struct collect c;
  struct stream *s = &c.stream[0];
  size_t step = 1 + choice / 16, kept, from;
  const char *data;
  int ends[2];

  collect_init (&c);
  if (pipe2 (ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return;
  s->fd = ends[0];
  s->limit = choice % 16;
  s->keep_head = (int) (choice & 1);
  for (size_t i = 0; i < size; i += step) {
    size_t n = size - i < step ? size - i : step;
    if (write (ends[1], text + i, n) != (ssize_t) n || collect_read (&c, 1) != 0)
      __builtin_trap ();
  }
  collect_linear (s, &data, &kept);
  from = s->keep_head ? 0 : size - kept;
  if (s->total != size || kept != (size < s->limit ? size : (size_t) s->limit) || s->offset != from
      || memcmp (data, text + from, kept) != 0)
    __builtin_trap ();
  close (ends[1]);
  collect_free (&c);
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  static struct weir_plan *plan;

  if (plan == NULL)
    plan = fuzz_plan ();
  if (size == 0 || size > 4096)
    return 0;
  fuzz_lines (plan, (const char *) bytes + 1, size - 1);
  fuzz_collect (bytes[0], (const char *) bytes + 1, size - 1);
  return 0;
}
