/* SPDX-License-Identifier: Apache-2.0 */
/* Making git run something, or read another configuration, the next time that it is used outside.  The workspace is a
 * repository; the driver looks afterwards at what git would obey.  */
#include "attack.h"

static const char *
of (const struct attack_context *c, const char *name)
{
  static char paths[4][4200];
  static int next;
  char *path = paths[next++ & 3];
  snprintf (path, sizeof paths[0], "%s/%s", c->workspace, name);
  return path;
}
static int
put (const char *path, const char *text)
{
  int fd = open (path, O_CREAT | O_WRONLY | O_APPEND, 0755), result;
  if (fd < 0)
    return -1;
  result = write (fd, text, strlen (text)) < 0 ? -1 : 0;
  close (fd);
  return result;
}
#define EVIL "[core]\n\tfsmonitor = /bin/false\n"

static int
config_append (const struct attack_context *c)
{
  return put (of (c, ".git/config"), EVIL);
}
static int
config_rename (const struct attack_context *c)
{
  if (put (of (c, "evil-config"), EVIL))
    return -1;
  return rename (of (c, "evil-config"), of (c, ".git/config"));
}
static int
config_unlink (const struct attack_context *c)
{
  return unlink (of (c, ".git/config"));
}
static int
config_link (const struct attack_context *c)
{
  return link (of (c, ".git/config"), of (c, "linked-config")) ? -1 : put (of (c, "linked-config"), EVIL);
}
static int
config_exchange (const struct attack_context *c)
{
  if (put (of (c, "evil-exchange"), EVIL))
    return -1;
  return attack_result (
    syscall (SYS_renameat2, AT_FDCWD, of (c, "evil-exchange"), AT_FDCWD, of (c, ".git/config"), 2u));
}
static int
hook_new (const struct attack_context *c)
{
  return put (of (c, ".git/hooks/pre-commit"), "#!/bin/sh\n");
}
static int
hook_rename (const struct attack_context *c)
{
  if (put (of (c, "evil-hook"), "#!/bin/sh\n"))
    return -1;
  return rename (of (c, "evil-hook"), of (c, ".git/hooks/post-checkout"));
}
static int
hooks_move (const struct attack_context *c)
{
  if (rename (of (c, ".git/hooks"), of (c, ".git/hooks-away")))
    return -1;
  mkdir (of (c, ".git/hooks"), 0755);
  return put (of (c, ".git/hooks/pre-push"), "#!/bin/sh\n");
}
static int
git_move (const struct attack_context *c)
{
  if (rename (of (c, ".git"), of (c, "git-away")))
    return -1;
  mkdir (of (c, ".git"), 0755);
  return put (of (c, ".git/config"), EVIL);
}
static int
common_directory (const struct attack_context *c)
{
  return put (of (c, ".git/commondir"), c->workspace);
}
static int
config_worktree (const struct attack_context *c)
{
  return put (of (c, ".git/config.worktree"), EVIL);
}
static int
module_config (const struct attack_context *c)
{
  mkdir (of (c, ".git/modules"), 0755);
  mkdir (of (c, ".git/modules/m"), 0755);
  /* All that git asks of a repository: without it nothing would read the configuration.  */
  mkdir (of (c, ".git/modules/m/objects"), 0755);
  mkdir (of (c, ".git/modules/m/refs"), 0755);
  put (of (c, ".git/modules/m/HEAD"), "ref: refs/heads/main\n");
  return put (of (c, ".git/modules/m/config"), EVIL);
}
static int
workspace_move (const struct attack_context *c)
{
  char to[4200];
  snprintf (to, sizeof to, "%s.away", c->workspace);
  return rename (c->workspace, to);
}

#define GAP "only checked afterwards"
const struct attack attack_git[] = {
  { "config-append", config_append, 0, 0, GAP },
  { "config-rename", config_rename, 0, 0, GAP },
  { "config-exchange", config_exchange, 0, 0, GAP },
  { "config-link", config_link, 0, 0, GAP },
  { "config-unlink", config_unlink, 0, 0, GAP },
  { "hook-new", hook_new, 0, 0, GAP },
  { "hook-rename", hook_rename, 0, 0, GAP },
  { "hooks-move", hooks_move, 0, 0, GAP },
  { "commondir", common_directory, 0, 0, GAP },
  { "config-worktree", config_worktree, 0, 0, GAP },
  { "modules-config", module_config, 0, 0, GAP },
  { "workspace-move", workspace_move, 0, 0, NULL },
  { "git-move", git_move, 0, 0, GAP },
  { NULL, NULL, 0, 0, NULL },
};
