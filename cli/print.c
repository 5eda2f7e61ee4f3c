/* Every word that weir writes itself.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/print.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RED "\033[1;31m"
#define YELLOW "\033[33m"
#define CYAN "\033[36m"
#define PLAIN "\033[0m"

#define LOG_WARNING 1 /* plugin.h: 0 error, 1 warning, 2 info, 3 debug */

static int data_errno; /* the first failure to write data */

void
print_guard_streams (struct cli *cli)
{
  for (int fd = 0; fd < 3; fd++)
    if (fcntl (fd, F_GETFD) < 0 && errno == EBADF) {
      /* The wrong direction: who reads or writes it meets EBADF, as with a closed one.  The lowest free number is fd.  */
      int got = open ("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);

      if (got < 0) /* no /dev/null: any descriptor that holds the number will do */
        got = open ("/", O_PATH | O_DIRECTORY);
      if (got >= 0 && got != fd)
        close (got);
      cli->closed[fd] = 1;
    }
}

static int
print_colored (const struct cli *cli)
{
  const char *no = getenv ("NO_COLOR"), *term = getenv ("TERM");

  if (cli->color != WHEN_AUTO)
    return cli->color == WHEN_ALWAYS;
  return (no == NULL || no[0] == '\0') && (term == NULL || strcmp (term, "dumb") != 0) && isatty (2);
}

/* Text that came from elsewhere (a path, a line that a command printed) must not drive the terminal: control characters of
 * ASCII and of C1 (in UTF-8: c2 80 to c2 9f) become \xNN.  */
static void
print_clean (FILE *f, const char *text)
{
  for (const unsigned char *p = (const unsigned char *) text; *p != '\0'; p++)
    if (*p < 0x20 || *p == 0x7f)
      fprintf (f, "\\x%02x", *p);
    else if (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0) {
      fprintf (f, "\\xc2\\x%02x", p[1]);
      p++;
    } else
      putc (*p, f);
}

static void
print_colored_word (const struct cli *cli, const char *color, const char *word)
{
  int colored = print_colored (cli);

  fprintf (stderr, "%s%s%s", colored ? color : "", word, colored ? PLAIN : "");
}

static void __attribute__ ((format (printf, 4, 0)))
print_vline (const struct cli *cli, const char *color, const char *prefix, const char *fmt, va_list ap)
{
  char *text = NULL;

  if (vasprintf (&text, fmt, ap) < 0)
    text = NULL;
  print_colored_word (cli, color, prefix);
  print_clean (stderr, text != NULL ? text : "out of memory");
  putc ('\n', stderr);
  free (text);
}

void
print_say (const struct cli *cli, const char *fmt, ...)
{
  va_list ap;

  va_start (ap, fmt);
  print_vline (cli, RED, "weir: ", fmt, ap);
  va_end (ap);
}

void
print_hint (const struct cli *cli, const char *fmt, ...)
{
  va_list ap;

  va_start (ap, fmt);
  print_vline (cli, CYAN, "  hint: ", fmt, ap);
  va_end (ap);
}

void
print_error (const struct cli *cli, const weir_error *err)
{
  print_say (cli, "%s", err != NULL ? weir_error_message (err) : "failed and did not say why");
  for (const weir_error *e = weir_error_cause (err); e != NULL; e = weir_error_cause (e)) {
    print_colored_word (cli, CYAN, "  because: ");
    print_clean (stderr, weir_error_message (e));
    putc ('\n', stderr);
  }
  for (const weir_error *e = err; e != NULL; e = weir_error_cause (e)) {
    const char *hint;

    for (size_t i = 0; (hint = weir_error_hint_at (e, i)) != NULL; i++)
      print_hint (cli, "%s", hint);
  }
}

const char *
print_mode (uint32_t mode)
{
  switch (mode) {
  case WEIR_MODE_READ_ONLY:
    return "read-only";
  case WEIR_MODE_WORKSPACE_WRITE:
    return "workspace-write";
  case WEIR_MODE_DANGER_FULL_ACCESS:
    return "danger-full-access";
  default:
    return "unknown";
  }
}

static void
print_denial (const struct cli *cli, const weir_result *result, const struct weir_denial *d)
{
  const char *provider = weir_result_provider (result);

  print_colored_word (cli, RED, "DENIED");
  putc (' ', stderr);
  print_clean (stderr, d->operation);
  if (d->path != NULL) {
    putc (' ', stderr);
    print_clean (stderr, d->path);
  }
  fprintf (stderr, " (%s, %s, %s)", print_mode (weir_result_mode (result)), provider != NULL ? provider : "no sandbox",
           d->enforced ? "enforced" : "inferred");
  if (d->rule != NULL) {
    fputs (": ", stderr);
    print_clean (stderr, d->rule);
  }
  if (d->origin != NULL) {
    fputs (" [", stderr);
    print_clean (stderr, d->origin);
    putc (']', stderr);
  }
  putc ('.', stderr);
  if (d->remedy != NULL) {
    fputs (" To allow: ", stderr);
    print_clean (stderr, d->remedy);
  }
  putc ('\n', stderr);
}

void
print_denials (const struct cli *cli, const weir_result *result)
{
  struct weir_denial d = { .struct_size = (uint32_t) sizeof d };
  const char *warning;

  if (cli->quiet)
    return;
  for (size_t i = 0; weir_result_denial (result, i, &d); i++)
    print_denial (cli, result, &d);
  for (size_t i = 0; (warning = weir_result_warning (result, i)) != NULL; i++) {
    print_colored_word (cli, YELLOW, "weir: warning: ");
    print_clean (stderr, warning);
    putc ('\n', stderr);
  }
}

void
print_ending (const struct cli *cli, const weir_result *result)
{
  const char *limit = weir_result_limit (result);
  const char *tree = weir_result_tree_gone (result) ? "; no process of it is left" : "";

  if (cli->quiet)
    return;
  switch (weir_result_outcome (result)) {
  case WEIR_OUTCOME_TIMED_OUT:
    print_say (cli, "the command was ended by its time-out%s", tree);
    break;
  case WEIR_OUTCOME_CANCELLED:
    print_say (cli, "the command was cancelled%s", tree);
    break;
  case WEIR_OUTCOME_LIMIT:
    print_say (cli, "the command was ended by the limit '%s'%s", limit != NULL ? limit : "unknown", tree);
    break;
  default:
    break;
  }
}

void
print_log (void *data, int level, const char *line)
{
  const struct cli *cli = data;
  int wanted = cli->quiet ? 0 : cli->verbose == 0 ? LOG_WARNING : LOG_WARNING + cli->verbose;

  if (level > wanted)
    return;
  print_colored_word (cli, level <= LOG_WARNING ? YELLOW : CYAN, "weir: ");
  print_clean (stderr, line);
  putc ('\n', stderr);
}

void
print_bytes (void *data, const char *bytes, size_t size)
{
  (void) data;
  if (size > 0 && fwrite (bytes, 1, size, stdout) != size && data_errno == 0)
    data_errno = errno != 0 ? errno : EIO;
}

void
print_text (const char *fmt, ...)
{
  va_list ap;

  va_start (ap, fmt);
  if (vfprintf (stdout, fmt, ap) < 0 && data_errno == 0)
    data_errno = errno != 0 ? errno : EIO;
  va_end (ap);
}

int
print_flush (const struct cli *cli)
{
  if (fflush (stdout) != 0 && data_errno == 0)
    data_errno = errno;
  if (data_errno == 0)
    return 0;
  print_say (cli, "write to standard output: %s", strerror (data_errno));
  return EXIT_WEIR;
}
