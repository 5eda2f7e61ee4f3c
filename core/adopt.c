/* adopt.c: checks what a plugin gave of itself, rule by rule, and keeps zeroed, full-size copies of it.
 *
 * Only bytes that a struct's own size covers are read.  Each broken rule has its own message, which names the plugin.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "core/plugins.h"

#include <errno.h>

#include "core/units.h"

#define END_OF(type, field) (offsetof (type, field) + sizeof ((type *) NULL)->field)
#define ADOPT_MAX_SIZE 65536u /* of one struct: more was not made by WEIR_SIZED */
#define ADOPT_MAX_OPTIONS 256
#define ADOPT_KNOWN_AXES UINT64_C (0x03ff0000)

static const struct weir_option adopt_no_options[] = { WEIR_OPTION_END };

struct adopting {
  const char *name, *path;
  weir_error **err;
};

static weir_status broken (const struct adopting *, const char *, ...) __attribute__ ((format (printf, 2, 3)));

static weir_status
broken (const struct adopting *a, const char *fmt, ...)
{
  auto_strbuf struct strbuf rule = { 0 };
  va_list ap;

  va_start (ap, fmt);
  strbuf_vfmt (&rule, fmt, ap);
  va_end (ap);
  if (rule.failed)
    return error_nomem (a->err);
  error_set (a->err, WEIR_E_PLUGIN, 0, "plugin '%s' breaks a rule of the plugin interface: %s", a->name, rule.data);
  return error_hint (a->err, "report this to the authors of '%s'; weir-plugin(7) has the rules", a->path);
}

static weir_status
check_size (const struct adopting *a, const char *what, uint32_t size, size_t least)
{
  if (size < least)
    return broken (a, "%s is too short: its struct_size is %u, at least %zu are needed", what, size, least);
  if (size > ADOPT_MAX_SIZE)
    return broken (a, "%s has the struct_size %u, which no version of it has", what, size);
  return WEIR_OK;
}

/* The struct as we know it: what the plugin does not have is zero, what we do not know is left behind.  */
static void
copy_sized (void *to, size_t room, const void *from, uint32_t size)
{
  memset (to, 0, room);
  memcpy (to, from, size < room ? size : room);
  size = (uint32_t) room;
  memcpy (to, &size, sizeof size);
}

static int
is_identifier (const char *s)
{
  size_t n = strspn (s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

  return n > 0 && s[n] == '\0' && (s[0] < '0' || s[0] > '9');
}

static int
is_one_line (const char *s)
{
  for (; *s != '\0'; s++)
    if ((unsigned char) *s < ' ' || *s == 127)
      return 0;
  return 1;
}

/* ---- options ---- */

/* One of the words of "a|b|c: text"?  */
static int
is_choice (const char *help, const char *word)
{
  size_t length = strlen (word), all = strcspn (help, ":");

  for (size_t at = 0; at < all;) {
    size_t n = strcspn (help + at, "|:");

    if (n == length && memcmp (help + at, word, n) == 0)
      return 1;
    at += n + 1;
  }
  return 0;
}

static int
has_choices (const char *help)
{
  size_t n = strcspn (help, ": ");

  return n > 0 && help[n] == ':' && help[0] != '|' && help[n - 1] != '|' && strstr (help, "||") == NULL;
}

/* A default that the file could not hold would fail where no operator can do anything about it.  */
static int
is_fallback (const struct weir_option *o)
{
  const char *s = o->fallback;
  uint64_t bytes;
  int64_t ms;
  char *end;

  if (s[0] == '"') /* in the file's spelling: read together with the file */
    return 1;
  switch (o->type) {
  case WEIR_OPT_PATH:
    return s[0] == '/' || strcmp (s, "~") == 0 || strncmp (s, "~/", 2) == 0;
  case WEIR_OPT_BOOLEAN:
    return strcmp (s, "true") == 0 || strcmp (s, "false") == 0;
  case WEIR_OPT_SIZE:
    return units_size (s, &bytes) == 0;
  case WEIR_OPT_DURATION:
    return units_duration (s, &ms) == 0;
  case WEIR_OPT_INTEGER:
    errno = 0;
    (void) strtoll (s, &end, 10);
    return end != s && *end == '\0' && errno == 0;
  case WEIR_OPT_CHOICE:
    return is_choice (o->help, s);
  default:
    return 1;
  }
}

static weir_status
check_option (const struct adopting *a, const struct weir_option *table, size_t i)
{
  const struct weir_option *o = &table[i];

  if (o->name == NULL || o->name[0] == '\0')
    return broken (a, "option %zu of its table has no name", i + 1);
  if (!is_identifier (o->name))
    return broken (a, "the name of option '%s' is no identifier", o->name);
  for (size_t j = 0; j < i; j++)
    if (strcmp (table[j].name, o->name) == 0)
      return broken (a, "option '%s' is in its table twice", o->name);
  if (o->type < WEIR_OPT_STRING || o->type > WEIR_OPT_CHOICE)
    return broken (a, "option '%s' has the unknown type %u", o->name, o->type);
  if ((o->flags & ~WEIR_OPT_REQUIRED) != 0)
    return broken (a, "option '%s' has unknown flags %#x", o->name, o->flags);
  if (o->help == NULL || o->help[0] == '\0' || !is_one_line (o->help))
    return broken (a, "option '%s' has no line of help", o->name);
  if (o->type == WEIR_OPT_CHOICE && !has_choices (o->help))
    return broken (a, "the help of option '%s' does not begin with its choices, as in \"a|b: text\"", o->name);
  if (o->fallback == NULL)
    return WEIR_OK;
  if ((o->flags & WEIR_OPT_REQUIRED) != 0)
    return broken (a, "option '%s' is required and has a default", o->name);
  if (!is_fallback (o))
    return broken (a, "the default '%s' of option '%s' does not fit its type", o->fallback, o->name);
  return WEIR_OK;
}

static weir_status
check_options (const struct adopting *a, const struct weir_option *table)
{
  /* The end has neither a name nor a type; an option whose name was forgotten has a type.  */
  for (size_t i = 0; table[i].name != NULL || table[i].type != 0; i++) {
    weir_status status = i < ADOPT_MAX_OPTIONS ? check_option (a, table, i)
                                               : broken (a, "its option table does not end with WEIR_OPTION_END");

    if (status != WEIR_OK)
      return status;
  }
  return WEIR_OK;
}

/* ---- seams ---- */

static weir_status
adopt_sandbox (const struct adopting *a, const struct weir_sandbox_ops *given, struct adopted *out)
{
  weir_status status = check_size (a, "its sandbox", given->struct_size, END_OF (struct weir_sandbox_ops, confine));

  if (status != WEIR_OK)
    return status;
  copy_sized (&out->sandbox, sizeof out->sandbox, given, given->struct_size);
  if (out->sandbox.confine == NULL)
    return broken (a, "its sandbox has no confine");
  if (out->sandbox.claims == 0)
    return broken (a, "its sandbox claims nothing");
  /* Bits of a later minor mean nothing here: no policy of this core can use them.  */
  out->sandbox.claims &= WEIR_EFFECTS_ALL | ADOPT_KNOWN_AXES;
  return WEIR_OK;
}

static const char *
missing_callback (const struct weir_process_ops *p)
{
  return p->find_executable == NULL ? "find_executable"
         : p->spawn == NULL         ? "spawn"
         : p->wait == NULL          ? "wait"
         : p->signal == NULL        ? "signal"
         : p->resize == NULL        ? "resize"
         : p->close_stdin == NULL   ? "close_stdin"
         : p->release == NULL       ? "release"
                                    : NULL;
}

static weir_status
adopt_world (const struct adopting *a, const struct weir_world_ops *given, struct adopted *out)
{
  weir_status status = check_size (a, "its world", given->struct_size, END_OF (struct weir_world_ops, process));
  const struct weir_process_ops *process;
  const char *missing;

  if (status != WEIR_OK)
    return status;
  copy_sized (&out->world, sizeof out->world, given, given->struct_size);
  process = out->world.process;
  if (process == NULL)
    return broken (a, "its world has no process operations");
  status = check_size (a, "its world's table of process operations", process->struct_size,
                       END_OF (struct weir_process_ops, release));
  if (status != WEIR_OK)
    return status;
  copy_sized (&out->process, sizeof out->process, process, process->struct_size);
  missing = missing_callback (&out->process);
  if (missing != NULL)
    return broken (a, "its world's process operations have no %s", missing);
  out->world.process = &out->process;
  return WEIR_OK;
}

/* ---- the descriptor ---- */

/* The strings, the threading and the options, in our copy.  */
static weir_status
check_descriptor (const struct adopting *a, const struct weir_plugin *p)
{
  if (p->name == NULL)
    return broken (a, "it has no name");
  if (strcmp (p->name, a->name) != 0)
    return broken (a, "it calls itself '%s', its file is '%s.so'", p->name, a->name);
  if (p->version == NULL || p->version[0] == '\0' || !is_one_line (p->version))
    return broken (a, "it has no version");
  if (p->summary == NULL || p->summary[0] == '\0' || !is_one_line (p->summary))
    return broken (a, "it has no summary of one line");
  if (p->threading != WEIR_SERIAL && p->threading != WEIR_PARALLEL)
    return broken (a, "its threading is %u, which is neither WEIR_SERIAL nor WEIR_PARALLEL", p->threading);
  if (p->sandbox == NULL && p->world == NULL)
    return broken (a, "it provides neither a sandbox nor a world");
  return p->options != NULL ? check_options (a, p->options) : WEIR_OK;
}

static weir_status
keep_strings (struct adopted *out, const char *path, weir_error **err)
{
  out->name = strdup (out->plugin.name);
  out->version = strdup (out->plugin.version);
  out->summary = strdup (out->plugin.summary);
  out->path = strdup (path);
  if (out->name == NULL || out->version == NULL || out->summary == NULL || out->path == NULL)
    return error_nomem (err);
  out->plugin.name = out->name;
  out->plugin.version = out->version;
  out->plugin.summary = out->summary;
  out->threading = out->plugin.threading;
  out->options = out->plugin.options != NULL ? out->plugin.options : adopt_no_options;
  if (out->plugin.sandbox != NULL)
    out->plugin.sandbox = &out->sandbox;
  if (out->plugin.world != NULL)
    out->plugin.world = &out->world;
  return WEIR_OK;
}

static weir_status
adopt_checked (const struct adopting *a, const struct weir_plugin *given, struct adopted *out)
{
  weir_status status;

  if (given == NULL)
    return broken (a, "its entry function returned NULL");
  /* The start of the struct is the same in every major; its end is known only after the major.  */
  status = check_size (a, "its descriptor", given->struct_size, END_OF (struct weir_plugin, abi_minor));
  if (status == WEIR_OK && given->abi_major != WEIR_ABI_MAJOR)
    status = broken (a, "it was made for major version %u of the plugin interface, this is %u", given->abi_major,
                     WEIR_ABI_MAJOR);
  if (status == WEIR_OK)
    status = check_size (a, "its descriptor", given->struct_size, END_OF (struct weir_plugin, world));
  if (status != WEIR_OK)
    return status;
  copy_sized (&out->plugin, sizeof out->plugin, given, given->struct_size);
  status = check_descriptor (a, &out->plugin);
  if (status == WEIR_OK && out->plugin.sandbox != NULL)
    status = adopt_sandbox (a, out->plugin.sandbox, out);
  if (status == WEIR_OK && out->plugin.world != NULL)
    status = adopt_world (a, out->plugin.world, out);
  return status == WEIR_OK ? keep_strings (out, a->path, a->err) : status;
}

weir_status
adopt (const struct weir_plugin *given, const char *name, const char *path, struct adopted *out, weir_error **err)
{
  const struct adopting a = { .name = name, .path = path, .err = err };
  weir_status status;

  memset (out, 0, sizeof *out);
  status = adopt_checked (&a, given, out);
  if (status != WEIR_OK)
    adopted_free (out);
  return status;
}

void
adopted_free (struct adopted *a)
{
  if (a == NULL)
    return;
  free (a->name);
  free (a->version);
  free (a->summary);
  free (a->path);
  memset (a, 0, sizeof *a);
}
