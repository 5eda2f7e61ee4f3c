/* SPDX-License-Identifier: Apache-2.0 */
/* The environment of a command.  Nothing of the harness's reaches it that was not named, and what is named only by a
 * pattern ("LC_*", "*") is scrubbed: no names that sound like secrets, no values that hold a password, nothing that
 * makes a program run other code than its own.  */
#include "config.h"
#include "core/env-internal.h"

#include <strings.h>

#define ENV_DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

static const char *const secret_words[] = { "KEY",        "PASSWORD", "PASSWD", "SECRET",  "TOKEN", "CREDENTIAL",
                                            "PASSPHRASE", "AUTH",     "COOKIE", "SESSION", NULL };

/* Names, or beginnings of names ("*"), by which a program is made to load or run something.  */
static const char *const code_words[] = { "LD_*",          "DYLD_*",
                                          "GIT_*",         "WEIR_*",
                                          "BASH_FUNC_*",   "BASH_ENV",
                                          "ENV",           "IFS",
                                          "SHELLOPTS",     "BASHOPTS",
                                          "PS4",           "PROMPT_COMMAND",
                                          "GCONV_PATH",    "GLIBC_TUNABLES",
                                          "MALLOC_*",      "LOCPATH",
                                          "NLSPATH",       "PERL5*",
                                          "PERLLIB",       "PYTHON*",
                                          "NODE_OPTIONS",  "NODE_PATH",
                                          "RUBYOPT",       "RUBYLIB",
                                          "LUA_*",         "JAVA_TOOL_OPTIONS",
                                          "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS",
                                          "MAKEFLAGS",     "MFLAGS",
                                          "GNUMAKEFLAGS",  "RUSTC_WRAPPER",
                                          "RUSTFLAGS",     "CARGO_*",
                                          "CC_WRAPPER",    "EDITOR",
                                          "VISUAL",        "PAGER",
                                          "LESSOPEN",      "LESSCLOSE",
                                          "SSH_*",         "GPG_*",
                                          "HOSTALIASES",   "RES_OPTIONS",
                                          "LOCALDOMAIN",   "TERMCAP",
                                          "TERMINFO*",     NULL };

/* ---- vectors ---- */

static size_t
env_name_size (const char *entry)
{
  return strcspn (entry, "=");
}

static int
env_is (const char *entry, const char *name, size_t size)
{
  return strncmp (entry, name, size) == 0 && entry[size] == '=';
}

void
env_set (struct strv *env, const char *name, const char *value)
{
  char *entry = util_fmt ("%s=%s", name, value);
  size_t size = strlen (name);

  for (size_t i = 0; i < env->count && entry != NULL; i++)
    if (env_is (env->items[i], name, size)) {
      free (env->items[i]);
      env->items[i] = entry;
      return;
    }
  strv_take (env, entry);
}

const char *
env_get (const char *const *env, const char *name)
{
  size_t size = strlen (name);

  for (; env != NULL && *env != NULL; env++)
    if (env_is (*env, name, size))
      return *env + size + 1;
  return NULL;
}

int
env_named (const char *const *request_env, const char *name)
{
  size_t size = strlen (name);

  for (; request_env != NULL && *request_env != NULL; request_env++)
    if (env_name_size (*request_env) == size && strncmp (*request_env, name, size) == 0)
      return 1;
  return 0;
}

/* ---- what may pass ---- */

static int
env_matches (const char *pattern, const char *name, size_t size)
{
  size_t n = strlen (pattern);

  if (n > 0 && pattern[n - 1] == '*')
    return size >= n - 1 && strncmp (pattern, name, n - 1) == 0;
  return size == n && strncmp (pattern, name, n) == 0;
}

static int
env_sounds_secret (const char *name, size_t size)
{
  for (const char *const *word = secret_words; *word != NULL; word++) {
    size_t n = strlen (*word);
    for (size_t i = 0; i + n <= size; i++)
      if (strncasecmp (name + i, *word, n) == 0)
        return 1;
  }
  return 0;
}

int
env_loads_code (const char *name)
{
  size_t size = env_name_size (name);

  for (const char *const *word = code_words; *word != NULL; word++)
    if (env_matches (*word, name, size))
      return 1;
  return 0;
}

/* "scheme://user:password@host" anywhere in the value.  */
static int
env_holds_password (const char *value)
{
  for (const char *p = strstr (value, "://"); p != NULL; p = strstr (p, "://")) {
    p += 3;
    size_t size = strcspn (p, "/?# \t\n");
    const char *at = memchr (p, '@', size);
    if (at != NULL && memchr (p, ':', (size_t) (at - p)) != NULL)
      return 1;
  }
  return 0;
}

#define ENV_NO 0
#define ENV_BY_PATTERN 1
#define ENV_BY_NAME 2

static int
env_allowed (const struct setting_list *list, const char *name, size_t size)
{
  int how = ENV_NO;

  for (size_t i = 0; i < list->items.count; i++) {
    const char *pattern = list->items.items[i];
    size_t n = strlen (pattern);
    if (!env_matches (pattern, name, size))
      continue;
    if (n > 0 && pattern[n - 1] == '*')
      how |= ENV_BY_PATTERN;
    else
      how |= ENV_BY_NAME;
  }
  return how;
}

static int
env_passes (const struct settings *settings, const char *entry)
{
  size_t size = env_name_size (entry);
  int how = env_allowed (&settings->env, entry, size);

  if (how != ENV_BY_PATTERN)
    return (how & ENV_BY_NAME) != 0;
  return !env_sounds_secret (entry, size) && !env_loads_code (entry) && !env_holds_password (entry + size + 1);
}

/* ---- the request, PATH ---- */

static weir_status
env_request_one (const char *asked, const char *const *environ, struct strv *env, weir_error **err)
{
  size_t size = env_name_size (asked);
  auto_free char *name = strndup (asked, size);
  const char *value;

  if (name == NULL)
    return error_nomem (err);
  if (size == 0) {
    error_set (err, WEIR_E_INVALID, 0, "environment '%s': the name of a variable is missing", asked);
    return error_hint (err, "write NAME to pass a variable on, or NAME=VALUE to set it");
  }
  value = asked[size] == '=' ? asked + size + 1 : env_get (environ, name);
  if (value != NULL)
    env_set (env, name, value);
  return WEIR_OK;
}

/* A relative or empty entry would make what a name means depend on the directory, which the command can write.  */
static void
env_absolute_path (struct strv *env)
{
  const char *path = env_get (strv_items (env), "PATH");
  auto_strbuf struct strbuf kept = { 0 };

  for (const char *p = path; p != NULL;) {
    size_t size = strcspn (p, ":");
    if (size > 0 && p[0] == '/') {
      if (kept.size > 0)
        strbuf_str (&kept, ":");
      strbuf_add (&kept, p, size);
    }
    p = p[size] == ':' ? p + size + 1 : NULL;
  }
  if (kept.failed)
    env->failed = 1;
  else
    env_set (env, "PATH", kept.size > 0 ? kept.data : ENV_DEFAULT_PATH);
}

weir_status
env_request (const char *const *request_env, const char *const *environ, struct strv *env, weir_error **err)
{
  for (; request_env != NULL && *request_env != NULL; request_env++) {
    weir_status status = env_request_one (*request_env, environ, env, err);
    if (status != WEIR_OK)
      return status;
  }
  env_absolute_path (env);
  return env->failed ? error_nomem (err) : WEIR_OK;
}

static void
env_list_dropped (const char *const *environ, const struct strv *env, struct strv *dropped)
{
  for (; environ != NULL && *environ != NULL; environ++) {
    size_t size = env_name_size (*environ);
    auto_free char *name = strndup (*environ, size);
    if (name == NULL)
      dropped->failed = 1;
    else if (size > 0 && (*environ)[size] == '=' && env_get (strv_items (env), name) == NULL
             && !strv_has (dropped, name))
      strv_add (dropped, name);
  }
}

weir_status
env_build (const struct settings *settings, const char *const *environ, const char *const *request_env,
           struct strv *env, struct strv *dropped, weir_error **err)
{
  weir_status status;

  for (const char *const *e = environ; e != NULL && *e != NULL; e++) {
    size_t size = env_name_size (*e);
    /* Of a name that is there twice the first counts, as for getenv(3).  */
    if (size > 0 && (*e)[size] == '=' && env_passes (settings, *e)) {
      auto_free char *name = strndup (*e, size);
      if (name == NULL)
        return error_nomem (err);
      if (env_get (strv_items (env), name) == NULL)
        strv_add (env, *e);
    }
  }
  status = env_request (request_env, environ, env, err);
  if (status != WEIR_OK)
    return status;
  env_list_dropped (environ, env, dropped);
  return env->failed || dropped->failed ? error_nomem (err) : WEIR_OK;
}
