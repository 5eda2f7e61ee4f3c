/* SPDX-License-Identifier: Apache-2.0 */
/* Git metadata: the lines for the view, and putting right what a command that nothing held has done.  The commands of
 * these tests run unconfined, as beneath a plan that does not govern WEIR_AXIS_PROTECT.  */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/policy.h"
#include "core/util.h"

#define NO_LINE (-1)

struct fixture {
  char dir[4096];
  char workspace[4200];
  struct policy policy;
  struct strv warnings;
};

static struct fixture t;

/* Runs a script in the directory of the test; W is the workspace.  */
static void
shell (const char *format, ...)
{
  auto_strbuf struct strbuf text = { 0 };
  va_list ap;
  int rc;

  strbuf_fmt (&text,
              "set -e; export LC_ALL=C W='%s' D='%s' HOME='%s/home' GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b "
              "GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; unset XDG_CONFIG_HOME GIT_DIR GIT_WORK_TREE; umask 022; "
              "init() { git init -q -b main \"$@\"; }; sub() { git -c protocol.file.allow=always submodule -q \"$@\" 2>/dev/null; }; "
              "cd \"$D\"; ",
              t.workspace, t.dir, t.dir);
  va_start (ap, format);
  strbuf_vfmt (&text, format, ap);
  va_end (ap);
  rc = system (text.data);
  if (rc != 0)
    print_error ("script failed: %s\n", text.data);
  assert_int_equal (rc, 0);
}

static int
setup (void **state)
{
  const char *tmp = getenv ("TMPDIR");
  char path[4000], *real;

  (void) state;
  memset (&t, 0, sizeof t);
  snprintf (path, sizeof path, "%s/weir-gitmeta-XXXXXX", tmp != NULL ? tmp : "/tmp");
  real = mkdtemp (path) != NULL ? realpath (path, NULL) : NULL;
  if (real == NULL)
    return -1;
  snprintf (t.dir, sizeof t.dir, "%s", real);
  snprintf (t.workspace, sizeof t.workspace, "%s/ws", real);
  free (real);
  shell ("mkdir home ws");
  return 0;
}

static void
end_policy (void)
{
  gitmeta_free (t.policy.git);
  view_free (&t.policy.view);
  strv_free (&t.policy.env);
  strv_free (&t.warnings);
  memset (&t.policy, 0, sizeof t.policy);
}

static int
teardown (void **state)
{
  (void) state;
  end_policy ();
  shell ("cd /; chmod -R u+rwx \"$D\"; rm -rf \"$D\"");
  return 0;
}

static char *
at (const char *relative)
{
  static char paths[4][8192];
  static int turn;
  char *path = paths[turn++ % 4];

  snprintf (path, sizeof paths[0], "%s/%s", t.dir, relative);
  return path;
}

static void
start_policy (struct policy *p, const char *const *roots)
{
  p->mode = WEIR_MODE_WORKSPACE_WRITE;
  strv_fmt (&p->env, "HOME=%s/home", t.dir);
  assert_int_equal (view_add (&p->view, WEIR_ACCESS_READ, 0, "/", "/", "built in", NULL), WEIR_OK);
  for (size_t i = 0; roots[i] != NULL; i++)
    assert_int_equal (view_add (&p->view, WEIR_ACCESS_WRITE, 0, at (roots[i]), at (roots[i]), "root", NULL), WEIR_OK);
}

static void
apply_roots (const char *const *roots)
{
  auto_error weir_error *error = NULL;

  start_policy (&t.policy, roots);
  if (gitmeta_apply (&t.policy, &error) != WEIR_OK)
    fail_msg ("%s", weir_error_message (error));
}

static void
apply (void)
{
  apply_roots ((const char *const[]) { "ws", NULL });
}

static void
before (void)
{
  assert_int_equal (gitmeta_before (t.policy.git, NULL), WEIR_OK);
}

static void
after (void)
{
  gitmeta_after (t.policy.git, &t.warnings);
}

/* The access of the last line for exactly this path.  */
static int
line (const char *relative)
{
  for (size_t i = t.policy.view.count; i-- > 0;)
    if (strcmp (t.policy.view.lines[i]->host, at (relative)) == 0)
      return (int) t.policy.view.lines[i]->access;
  return NO_LINE;
}

static size_t
lines (void)
{
  return t.policy.view.count;
}

static int
exists (const char *relative)
{
  struct stat st;

  return lstat (at (relative), &st) == 0;
}

static void
content (const char *relative, const char *expected)
{
  size_t size;
  auto_free char *text = util_read_file (-1, at (relative), 65536, &size);

  if (text == NULL)
    fail_msg ("no %s", relative);
  assert_string_equal (text, expected);
}

/* Things of this name in quarantine in a directory.  */
static int
quarantined (const char *directory, const char *name)
{
  auto_free char *prefix = util_fmt ("%s.weir-quarantine-", name);
  DIR *d = opendir (at (directory));
  const struct dirent *e;
  int n = 0;

  assert_non_null (d);
  while ((e = readdir (d)) != NULL)
    n += strncmp (e->d_name, prefix, strlen (prefix)) == 0;
  closedir (d);
  return n;
}

static void
warned (const char *part, size_t count)
{
  size_t n = 0;

  for (size_t i = 0; i < t.warnings.count; i++)
    n += strstr (t.warnings.items[i], part) != NULL;
  if (n != count)
    for (size_t i = 0; i < t.warnings.count; i++)
      print_error ("warning: %s\n", t.warnings.items[i]);
  assert_int_equal (n, count);
}

static void
quiet (void)
{
  for (size_t i = 0; i < t.warnings.count; i++)
    print_error ("warning: %s\n", t.warnings.items[i]);
  assert_int_equal (t.warnings.count, 0);
}

/* ---- lines ---- */

static void
test_nothing (void **state)
{
  (void) state;
  apply ();
  assert_null (t.policy.git);
  assert_int_equal (lines (), 2);
  /* All of these take nothing.  */
  before ();
  after ();
  gitmeta_set_held (t.policy.git, 1);
  quiet ();
}

static void
test_read_only (void **state)
{
  (void) state;
  shell ("init ws");
  start_policy (&t.policy, (const char *const[]) { NULL });
  t.policy.mode = WEIR_MODE_READ_ONLY;
  assert_int_equal (gitmeta_apply (&t.policy, NULL), WEIR_OK);
  assert_null (t.policy.git);
}

static void
test_plain (void **state)
{
  (void) state;
  shell ("init ws; mkdir -p ws/.git/info; echo '* text' > ws/.git/info/attributes");
  apply ();
  assert_int_equal (line ("ws/.git"), WEIR_ACCESS_PIN);
  assert_int_equal (line ("ws/.git/hooks"), WEIR_ACCESS_READ);
  assert_int_equal (line ("ws/.git/config"), WEIR_ACCESS_READ);
  assert_int_equal (line ("ws/.git/info"), WEIR_ACCESS_PIN);
  assert_int_equal (line ("ws/.git/info/attributes"), WEIR_ACCESS_READ);
  assert_int_equal (line ("ws/.git/objects"), NO_LINE);
  before ();
  shell ("cd ws; echo x > f; git add f; git commit -qm x; git checkout -qb b; git switch -q main; git branch c; echo y >> f; "
         "git stash -q; git stash pop -q; git commit -qam y; git tag v; git gc -q; git rebase -q b");
  after ();
  quiet ();
}

static void
test_subdirectory (void **state)
{
  (void) state;
  shell ("init .; mkdir -p ws");
  apply ();
  assert_null (t.policy.git);
}

/* What the policy makes read-only needs nothing more.  */
static void
test_read_only_git (void **state)
{
  (void) state;
  shell ("init ws");
  start_policy (&t.policy, (const char *const[]) { "ws", NULL });
  assert_int_equal (view_add (&t.policy.view, WEIR_ACCESS_READ, 0, at ("ws/.git"), at ("ws/.git"), "--ro", NULL), WEIR_OK);
  assert_int_equal (gitmeta_apply (&t.policy, NULL), WEIR_OK);
  assert_int_equal (lines (), 3);
}

static void
test_named_paths (void **state)
{
  (void) state;
  shell ("init ws; cd ws; mkdir -p .husky/_ tools/git; touch .gitconfig tools/watch attrs other; "
         "git config core.hooksPath .husky/_; git config include.path ../.gitconfig; "
         "git config includeIf.onbranch:x.path ../tools/git/extra; git config core.fsmonitor 'tools/watch --x'; "
         "git config core.attributesFile attrs; git config -f .gitconfig include.path other; "
         "git config -f $HOME/.gitconfig core.hooksPath .globalhooks; mkdir .globalhooks");
  apply ();
  assert_int_equal (line ("ws/.husky"), WEIR_ACCESS_PIN);
  assert_int_equal (line ("ws/.husky/_"), WEIR_ACCESS_READ);
  assert_int_equal (line ("ws/.gitconfig"), WEIR_ACCESS_READ);
  assert_int_equal (line ("ws/other"), WEIR_ACCESS_READ);
  assert_int_equal (line ("ws/tools/watch"), WEIR_ACCESS_READ);
  assert_int_equal (line ("ws/attrs"), WEIR_ACCESS_READ);
  assert_int_equal (line ("ws/.globalhooks"), WEIR_ACCESS_READ);
  before ();
  gitmeta_set_held (t.policy.git, 1);
  shell ("echo '[core]' > ws/tools/git/extra");
  after ();
  assert_false (exists ("ws/tools/git/extra"));
  assert_int_equal (quarantined ("ws/tools/git", "extra"), 1);
}

/* A directory of hooks that has to stay writable.  */
static void
test_hooks_everywhere (void **state)
{
  (void) state;
  shell ("init ws; git -C ws config core.hooksPath .; echo x > ws/pre-push");
  apply ();
  assert_int_equal (line ("ws"), WEIR_ACCESS_WRITE);
  assert_int_equal (line ("ws/pre-push"), WEIR_ACCESS_READ);
  before ();
  gitmeta_set_held (t.policy.git, 1);
  shell ("echo evil > ws/pre-commit; echo fine > ws/file");
  after ();
  assert_false (exists ("ws/pre-commit"));
  assert_true (exists ("ws/file"));
}

static void
test_bare (void **state)
{
  (void) state;
  shell ("init --bare ws");
  apply ();
  assert_int_equal (line ("ws/hooks"), WEIR_ACCESS_READ);
  assert_int_equal (line ("ws/config"), WEIR_ACCESS_READ);
  assert_int_equal (line ("ws"), WEIR_ACCESS_WRITE);
}

/* ---- a directory of hooks that is not there ---- */

static void
test_ghost (void **state)
{
  (void) state;
  shell ("init ws; rm -r ws/.git/hooks");
  apply ();
  assert_int_equal (line ("ws/.git/hooks"), WEIR_ACCESS_READ);
  assert_true (exists ("ws/.git/hooks"));
  before ();
  after ();
  quiet ();
  end_policy ();
  assert_false (exists ("ws/.git/hooks"));
}

static void
test_ghost_used (void **state)
{
  (void) state;
  shell ("init ws; rm -r ws/.git/hooks");
  apply ();
  before ();
  gitmeta_set_held (t.policy.git, 1);
  shell ("echo from the host > ws/.git/hooks/pre-commit");
  after ();
  quiet ();
  end_policy ();
  content ("ws/.git/hooks/pre-commit", "from the host\n");
}

/* The call that made the directory ends before another one that uses it.  */
static void
test_ghost_shared (void **state)
{
  struct policy second = { 0 };

  (void) state;
  shell ("init ws; rm -r ws/.git/hooks");
  apply ();
  start_policy (&second, (const char *const[]) { "ws", NULL });
  assert_int_equal (gitmeta_apply (&second, NULL), WEIR_OK);
  end_policy ();
  assert_true (exists ("ws/.git/hooks"));
  gitmeta_free (second.git);
  view_free (&second.view);
  strv_free (&second.env);
}

/* ---- what nothing holds ---- */

static void
test_planted (void **state)
{
  (void) state;
  shell ("init ws; git -C ws commit -q --allow-empty -m x; mkdir fake; echo '[core]fsmonitor=\"touch $D/ran;false\"' > fake/config; "
         "mkdir fake/objects fake/refs");
  apply ();
  before ();
  gitmeta_set_held (t.policy.git, 1);
  shell ("cd ws/.git; echo ../../fake > commondir; echo '[core]hooksPath=/x' > config.worktree; mkdir -p objects/info; "
         "echo /x > objects/info/alternates; mkdir -p info; echo '* filter=x' > info/attributes");
  after ();
  assert_false (exists ("ws/.git/commondir"));
  assert_false (exists ("ws/.git/config.worktree"));
  assert_false (exists ("ws/.git/objects/info/alternates"));
  assert_false (exists ("ws/.git/info/attributes"));
  assert_int_equal (quarantined ("ws/.git", "commondir"), 1);
  assert_int_equal (t.warnings.count, 4);
  warned ("commondir' appeared during the run", 1);
  shell ("git -C ws status >/dev/null");
  assert_false (exists ("ran"));
}

/* A plan with mounts held the file: the change is the host's.  */
static void
test_held (void **state)
{
  (void) state;
  shell ("init ws; git -C ws commit -q --allow-empty -m x");
  apply ();
  before ();
  gitmeta_set_held (t.policy.git, 1);
  shell ("git -C ws config user.name host; echo hook > ws/.git/hooks/pre-commit");
  after ();
  quiet ();
  shell ("test $(git -C ws config user.name) = host");
  assert_true (exists ("ws/.git/hooks/pre-commit"));
}

static void
test_held_early (void **state)
{
  (void) state;
  shell ("init ws");
  apply ();
  gitmeta_set_held (t.policy.git, 1);
  before ();
  shell ("git -C ws config user.name host; echo x > ws/.git/commondir");
  after ();
  warned ("commondir", 1);
  assert_int_equal (t.warnings.count, 1);
}

static void
test_unheld_content (void **state)
{
  struct stat st;

  (void) state;
  shell ("init ws; cd ws; printf '#!/bin/sh\\necho old\\n' > .git/hooks/pre-push; chmod 755 .git/hooks/pre-push; cp .git/config ../config; "
         "echo gone > .git/hooks/post-merge; echo off > .git/hooks/pre-rebase");
  apply ();
  before ();
  shell ("cd ws; git config core.fsmonitor 'touch ran'; echo evil > .git/hooks/pre-push; echo new > .git/hooks/pre-commit; "
         "rm .git/hooks/post-merge; chmod +x .git/hooks/pre-rebase; echo sample > .git/hooks/update.sample");
  after ();
  shell ("cmp config ws/.git/config");
  content ("ws/.git/hooks/pre-push", "#!/bin/sh\necho old\n");
  assert_int_equal (stat (at ("ws/.git/hooks/pre-push"), &st), 0);
  assert_int_equal (st.st_mode & 07777, 0755);
  content ("ws/.git/hooks/post-merge", "gone\n");
  assert_false (exists ("ws/.git/hooks/pre-commit"));
  assert_int_equal (stat (at ("ws/.git/hooks/pre-rebase"), &st), 0);
  assert_int_equal (st.st_mode & 0111, 0);
  assert_int_equal (quarantined ("ws/.git/hooks", "pre-push"), 1);
  assert_int_equal (quarantined ("ws/.git", "config"), 1);
  assert_int_equal (t.warnings.count, 5);
  /* What is in quarantine is no concern of the next run.  */
  end_policy ();
  apply ();
  before ();
  after ();
  quiet ();
}

static void
test_unheld_structure (void **state)
{
  (void) state;
  shell ("init ws; cd ws; git commit -q --allow-empty -m x; echo h > .git/hooks/pre-push; cp .git/config ../config");
  apply ();
  before ();
  shell ("cd ws; mv .git/hooks .git/h2; ln -s ../elsewhere .git/hooks; mkdir elsewhere; echo evil > elsewhere/pre-commit; "
         "rm .git/config; ln -s ../planted .git/config; echo '[core]fsmonitor=x' > planted; mkdir .git/commondir; "
         "rm -rf .git/info; ln -s ../elsewhere .git/info; echo x > elsewhere/attributes");
  after ();
  shell ("cmp config ws/.git/config; test ! -L ws/.git/config; test ! -L ws/.git/hooks; test ! -L ws/.git/info; "
         "test \"$(ls ws/.git/hooks)\" = pre-push; git -C ws log -1 >/dev/null");
  assert_false (exists ("ws/.git/commondir"));
  assert_true (exists ("ws/elsewhere/pre-commit"));
}

static void
test_unheld_renamed (void **state)
{
  (void) state;
  shell ("init ws; cd ws; git commit -q --allow-empty -m x; git rev-parse HEAD > ../head");
  apply ();
  before ();
  shell ("cd ws; mkdir deep; mv .git deep/g2; init .; echo evil > .git/hooks/pre-commit; git config core.fsmonitor x");
  after ();
  shell ("cd ws; git rev-parse HEAD | cmp - ../head; test ! -e .git/hooks/pre-commit; test -z \"$(git config core.fsmonitor)\"");
  assert_int_equal (quarantined ("ws", ".git"), 1);
  warned ("has its name again", 1);
}

static void
test_unheld_removed (void **state)
{
  (void) state;
  shell ("init ws; cp ws/.git/config config");
  apply ();
  before ();
  shell ("cd ws; rm -rf .git; init .; echo evil > .git/hooks/pre-commit; git config core.fsmonitor x");
  after ();
  shell ("cmp config ws/.git/config; test ! -e ws/.git/hooks/pre-commit");
}

static void
test_unheld_modes (void **state)
{
  (void) state;
  shell ("init ws; echo h > ws/.git/hooks/pre-push");
  apply ();
  before ();
  shell ("cd ws/.git; echo evil > hooks/pre-commit; echo x > commondir; chmod 000 hooks; chmod 555 .");
  after ();
  shell ("test ! -e ws/.git/commondir; test ! -e ws/.git/hooks/pre-commit; test -e ws/.git/hooks/pre-push");
}

static void
test_hard_link (void **state)
{
  (void) state;
  shell ("init ws");
  apply ();
  before ();
  shell ("ln ws/.git/config ws/second");
  after ();
  warned ("config", 1);
  shell ("test $(stat -c %%h ws/.git/config) = 1; test $(stat -c %%h ws/second) = 2");
  /* One that was there before is not trusted to a mount.  */
  end_policy ();
  shell ("ln -f ws/.git/config ws/second");
  apply ();
  before ();
  gitmeta_set_held (t.policy.git, 1);
  shell ("echo '[core]fsmonitor=x' >> ws/second");
  after ();
  warned ("config", 1);
  shell ("test -z \"$(git -C ws config core.fsmonitor)\"");
}

/* Two calls overlap: the second began when the first one's command had planted something.  */
static void
test_overlap (void **state)
{
  struct policy second = { 0 };
  auto_strv struct strv warnings = { 0 };

  (void) state;
  shell ("init ws; cp ws/.git/config config");
  apply ();
  before ();
  shell ("git -C ws config core.fsmonitor x; echo /x > ws/.git/commondir");
  start_policy (&second, (const char *const[]) { "ws", NULL });
  assert_int_equal (gitmeta_apply (&second, NULL), WEIR_OK);
  assert_int_equal (gitmeta_before (second.git, NULL), WEIR_OK);
  after ();
  shell ("cmp config ws/.git/config; test ! -e ws/.git/commondir");
  shell ("git -C ws config core.fsmonitor y");
  gitmeta_after (second.git, &warnings);
  shell ("cmp config ws/.git/config; test ! -e ws/.git/commondir");
  gitmeta_free (second.git);
  view_free (&second.view);
  strv_free (&second.env);
}

/* A run of another process is told by its lock.  */
static void
test_overlap_process (void **state)
{
  int fd = -1;

  (void) state;
  shell ("init ws; cp ws/.git/config config; echo planted > ws/.git/hooks/pre-commit");
  apply ();
  fd = open (at ("ws"), O_RDONLY | O_CLOEXEC);
  assert_int_equal (flock (fd, LOCK_SH | LOCK_NB), 0);
  before ();
  close (fd);
  shell ("git -C ws config core.fsmonitor x; echo more >> ws/.git/hooks/pre-commit");
  after ();
  /* The configuration was harmless, the hook is not known to have been.  */
  shell ("cmp config ws/.git/config");
  assert_false (exists ("ws/.git/hooks/pre-commit"));
  assert_int_equal (t.warnings.count, 2);
  end_policy ();
  shell ("git -C ws config alias.x '!x'");
  apply ();
  fd = open (at ("ws"), O_RDONLY | O_CLOEXEC);
  assert_int_equal (flock (fd, LOCK_SH | LOCK_NB), 0);
  before ();
  close (fd);
  shell ("git -C ws config alias.y '!y'");
  after ();
  assert_false (exists ("ws/.git/config"));
}

static void
test_leftover_commondir (void **state)
{
  (void) state;
  shell ("init ws; echo ../../other > ws/.git/commondir");
  apply ();
  before ();
  after ();
  warned ("commondir' makes git take", 1);
}

/* ---- strange layouts ---- */

static void
run_through (const char *layout)
{
  alarm (60);
  shell ("rm -rf ws; mkdir ws; %s", layout);
  apply ();
  before ();
  after ();
  end_policy ();
  alarm (0);
}

static void
test_strange (void **state)
{
  static const char *const layouts[] = {
    "ln -s /etc ws/.git",
    "ln -s .git ws/.git",
    "ln -s missing ws/.git",
    "mkfifo ws/.git",
    "echo 'gitdir: /etc' > ws/.git",
    "echo 'gitdir: /' > ws/.git",
    "printf 'gitdir: ' > ws/.git",
    "printf 'gitdir: \\n' > ws/.git",
    "printf 'gitdir: a\\0b\\n' > ws/.git",
    "head -c 100000 /dev/zero > ws/.git",
    "echo 'gitdir: .git' > ws/.git",
    "echo 'gitdir: /dev/zero' > ws/.git",
    "echo \"gitdir: $HOME\" > ws/.git",
    "mkdir ws/.git",
    "init ws; rm ws/.git/config; mkfifo ws/.git/config",
    "init ws; rm ws/.git/config; ln -s /dev/zero ws/.git/config",
    "init ws; rm ws/.git/config; ln -s config ws/.git/config",
    "init ws; rm ws/.git/config; mkdir ws/.git/config",
    "init ws; truncate -s 20M ws/.git/config",
    "init ws; rm -r ws/.git/hooks; ln -s ../h ws/.git/hooks; mkdir ws/h",
    "init ws; rm -r ws/.git/hooks; ln -s ../../outside ws/.git/hooks",
    "init ws; rm -r ws/.git/hooks; mkfifo ws/.git/hooks",
    "init ws; rm -r ws/.git/hooks; ln -s / ws/.git/hooks",
    "init ws; git -C ws config include.path ../a; printf '[include]path=b\\n' > ws/a; printf '[include]path=a\\npath=../a\\n' > ws/b",
    "init ws; git -C ws config include.path config",
    "init ws; git -C ws config core.hooksPath /",
    "init ws; git -C ws config core.hooksPath ..",
    "init ws; git -C ws config core.hooksPath .git",
    "init ws; git -C ws config include.path ../",
    "init ws; echo '[core' >> ws/.git/config",
    "init ws; i=0; while [ $i -lt 200 ]; do echo \"[include]path=../i$i\" >> ws/.git/config; touch ws/i$i; i=$((i+1)); done",
    "init ws; mkdir ws/.git/modules; ln -s .. ws/.git/modules/up; ln -s /etc ws/.git/modules/etc",
    "init ws; ln -s . ws/.git/modules",
    "init ws; mkdir -p ws/.git/modules/a; ln -s ../../HEAD ws/.git/modules/a/HEAD; mkfifo ws/.git/modules/a/config",
    "init ws; ln -s . ws/.git/worktrees",
    "init ws; mkdir -p ws/.git/worktrees/x; echo ../.. > ws/.git/worktrees/x/commondir; echo /etc/passwd > ws/.git/worktrees/x/gitdir",
    "init ws; d=ws/.git; i=0; while [ $i -lt 40 ]; do d=$d/modules/m; mkdir -p $d; echo x > $d/HEAD; i=$((i+1)); done",
    "init ws; d=ws/.git/modules; i=0; while [ $i -lt 40 ]; do d=$d/m; mkdir -p $d; i=$((i+1)); done",
    "init ws; printf '[core]\\nhooksPath = \"\\377\\001\\nx\"\\n' >> ws/.git/config",
    "touch ws/HEAD; mkdir ws/objects ws/refs; mkfifo ws/config",
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_SIZE (layouts); i++)
    run_through (layouts[i]);
}

/* Links that decide are watched, and what they lead to is kept.  */
static void
test_links (void **state)
{
  (void) state;
  shell ("init real; mv real/.git ws/store; ln -s store ws/.git; mkdir ws/h; rm -r ws/store/hooks; ln -s ../h ws/store/hooks; "
         "mv ws/store/config ws/conf; ln -s ../conf ws/store/config");
  apply ();
  assert_int_equal (line ("ws/store"), WEIR_ACCESS_PIN);
  assert_int_equal (line ("ws/h"), WEIR_ACCESS_READ);
  assert_int_equal (line ("ws/conf"), WEIR_ACCESS_READ);
  assert_int_equal (line ("ws/.git"), NO_LINE);
  before ();
  gitmeta_set_held (t.policy.git, 1);
  shell ("cd ws; mkdir evil; rm store/hooks; ln -s ../evil store/hooks; rm store/config; echo '[core]fsmonitor=x' > store/config; "
         "rm .git; mkdir .git");
  after ();
  shell ("test $(readlink ws/.git) = store; test $(readlink ws/store/hooks) = ../h; test $(readlink ws/store/config) = ../conf");
  assert_int_equal (t.warnings.count, 3);
}

/* ---- worktrees ---- */

static void
test_worktree_outside (void **state)
{
  (void) state;
  shell ("rmdir ws; init main; git -C main commit -q --allow-empty -m x; git -C main worktree add -q ../ws");
  apply ();
  assert_int_equal (line ("ws/.git"), WEIR_ACCESS_READ);
  assert_int_equal (line ("main/.git"), NO_LINE);
  assert_int_equal (line ("main/.git/objects"), WEIR_ACCESS_WRITE);
  assert_int_equal (line ("main/.git/refs"), WEIR_ACCESS_WRITE);
  assert_int_equal (line ("main/.git/logs"), WEIR_ACCESS_WRITE);
  assert_int_equal (line ("main/.git/worktrees/ws"), WEIR_ACCESS_WRITE);
  assert_int_equal (line ("main/.git/worktrees/ws/commondir"), WEIR_ACCESS_READ);
  assert_int_equal (line ("main/.git/worktrees/ws/gitdir"), WEIR_ACCESS_READ);
  assert_int_equal (line ("main/.git/objects/info"), WEIR_ACCESS_READ);
  for (size_t i = 0; i < lines (); i++)
    if (strcmp (t.policy.view.lines[i]->host, at ("main/.git/refs")) == 0)
      assert_string_equal (t.policy.view.lines[i]->origin, "git worktree of the workspace");
  before ();
  shell ("cd ws; echo x > f; git add f; git commit -qm x");
  shell ("echo '[core]hooksPath=x' > main/.git/worktrees/ws/config.worktree; echo x > main/.git/worktrees/ws/commondir; "
         "echo 'gitdir: /x' > ws/.git");
  after ();
  assert_int_equal (t.warnings.count, 3);
  shell ("cd ws; git log >/dev/null");
}

static void
refused (const char *layout, const char *reason)
{
  shell ("rm -rf ws main other; init main; git -C main commit -q --allow-empty -m x; git -C main worktree add -q -f ../ws; %s", layout);
  apply ();
  before ();
  after ();
  warned (reason, 1);
  assert_int_equal (line ("main/.git/objects"), NO_LINE);
  assert_int_equal (line ("main/.git/worktrees/ws"), NO_LINE);
  assert_int_equal (line ("main/.git"), NO_LINE);
  end_policy ();
}

/* A command could have written the pointer in an earlier run.  */
static void
test_worktree_refused (void **state)
{
  (void) state;
  refused ("git -C main worktree add -q ../other; cp other/.git ws/.git", "does not point back");
  refused ("git -C main worktree add -q ../other; rm ws/.git; ln -s ../other/.git ws/.git", "symbolic link");
  refused ("echo \"gitdir: $D/main/.git\" > ws/.git", "core.worktree does not name");
  refused ("rm ws/.git; ln -s ../main/.git ws/.git", "symbolic link");
  refused ("echo ../../.. > main/.git/worktrees/ws/commondir", "not a worktree's directory");
  refused ("rm main/.git/worktrees/ws/gitdir", "does not point back");
  refused ("mkdir other; mv main/.git/worktrees/ws other/w; echo \"gitdir: $D/other/w\" > ws/.git; "
           "echo \"$D/main/.git\" > other/w/commondir", "not a worktree's directory");
}

static void
test_worktree_owner (void **state)
{
  (void) state;
  if (geteuid () != 0) {
    print_message ("skipped: only root can make a repository of another owner\n");
    skip ();
  }
  refused ("chown -R 65533 main/.git", "belong to the workspace's owner");
  refused ("chown -R 65533 ws", "belong to the workspace's owner");
}

/* Worktrees of the workspace's own repository: elsewhere, and inside.  */
static void
test_worktrees (void **state)
{
  (void) state;
  shell ("init ws; cd ws; git commit -q --allow-empty -m x; git worktree add -q ../out; git worktree add -q .trees/in");
  apply ();
  assert_int_equal (line ("ws/.git/worktrees/out/commondir"), WEIR_ACCESS_READ);
  assert_int_equal (line ("ws/.git/worktrees/in/gitdir"), WEIR_ACCESS_READ);
  assert_int_equal (line ("ws/.trees/in/.git"), WEIR_ACCESS_READ);
  assert_int_equal (line ("out/.git"), NO_LINE);
  before ();
  shell ("cd ws/.git/worktrees/out; echo /x > commondir; echo '[core]hooksPath=/x' > config.worktree; git -C $W worktree add -q ../new");
  after ();
  assert_int_equal (t.warnings.count, 2);
  shell ("git -C out log >/dev/null; git -C new log > /dev/null");
}

/* ---- submodules ---- */

static const char with_submodule[] = "rm -rf ws; init lib; git -C lib commit -q --allow-empty -m l; init mid; cd mid; "
                                     "sub add $D/lib inner; git commit -qm m; cd ..; init ws; cd ws; sub add $D/mid libs/mid; "
                                     "git commit -qm s; sub update --init --recursive; cd ..; ";

static void
test_submodules (void **state)
{
  (void) state;
  shell ("%s", with_submodule);
  apply ();
  assert_int_equal (line ("ws/.git/modules/libs/mid/hooks"), WEIR_ACCESS_READ);
  assert_int_equal (line ("ws/.git/modules/libs/mid/config"), WEIR_ACCESS_READ);
  assert_int_equal (line ("ws/.git/modules/libs/mid"), WEIR_ACCESS_PIN);
  assert_int_equal (line ("ws/.git/modules/libs/mid/modules/inner/hooks"), WEIR_ACCESS_READ);
  assert_int_equal (line ("ws/libs/mid/.git"), WEIR_ACCESS_READ);
  assert_int_equal (line ("ws/libs/mid/inner/.git"), WEIR_ACCESS_READ);
  assert_int_equal (line ("ws/libs"), WEIR_ACCESS_PIN);
  before ();
  shell ("cd ws/libs/mid; echo x > f; git add f; git commit -qm f; cd ../..; git commit -qam f");
  after ();
  quiet ();
  before ();
  shell ("cd ws/.git/modules/libs/mid; echo evil > hooks/post-checkout; git config -f config core.fsmonitor x; "
         "echo evil > modules/inner/hooks/pre-commit; echo x > modules/inner/commondir; echo 'gitdir: /x' > $W/libs/mid/.git");
  after ();
  assert_int_equal (t.warnings.count, 5);
  shell ("cd ws; git status >/dev/null; test ! -e .git/modules/libs/mid/hooks/post-checkout; "
         "test ! -e .git/modules/libs/mid/modules/inner/commondir");
}

static void
test_new_submodule (void **state)
{
  (void) state;
  shell ("%s init ext; git -C ext commit -q --allow-empty -m e", with_submodule);
  apply ();
  before ();
  gitmeta_set_held (t.policy.git, 1);
  /* An honest one.  */
  shell ("cd ws; sub add $D/ext ext; git commit -qm e");
  after ();
  quiet ();
  shell ("git -C ws/ext log >/dev/null; git -C ws status >/dev/null");
  end_policy ();
  apply ();
  assert_int_equal (line ("ws/.git/modules/ext/hooks"), WEIR_ACCESS_READ);
  before ();
  gitmeta_set_held (t.policy.git, 1);
  shell ("cd ws; sub add $D/ext evil/a; cd .git/modules/evil/a; git config -f config core.fsmonitor x; echo e > hooks/pre-commit; "
         "echo x > commondir; mkdir -p modules/b; cd modules/b; echo 'ref: x' > HEAD; mkdir hooks; echo e > hooks/pre-push; "
         "ln -s /etc ../../../../link; ln -s /etc ../../../link; cd $W; sub add $D/ext far; git config -f .git/modules/far/config core.worktree $D/home");
  after ();
  shell ("cd ws/.git/modules/evil/a; test ! -e config; test ! -e hooks/pre-commit; test ! -e commondir; test ! -e modules/b/hooks/pre-push; "
         "cd $W/.git/modules; test ! -e far/config; test ! -L link; test ! -L evil/link; test -e ext/config");
  assert_int_equal (t.warnings.count, 7);
}

/* A module that a command planted before the second call began is not the second call's to put back.  */
static void
test_overlap_module (void **state)
{
  struct policy second = { 0 };
  auto_strv struct strv warnings = { 0 };

  (void) state;
  shell ("init ws");
  apply ();
  before ();
  shell ("init x; mkdir ws/.git/modules; mv x/.git ws/.git/modules/x; git config -f ws/.git/modules/x/config core.fsmonitor x");
  start_policy (&second, (const char *const[]) { "ws", NULL });
  assert_int_equal (gitmeta_apply (&second, NULL), WEIR_OK);
  assert_int_equal (gitmeta_before (second.git, NULL), WEIR_OK);
  after ();
  assert_false (exists ("ws/.git/modules/x/config"));
  gitmeta_after (second.git, &warnings);
  assert_false (exists ("ws/.git/modules/x/config"));
  gitmeta_free (second.git);
  view_free (&second.view);
  strv_free (&second.env);
}

static void
test_too_many_modules (void **state)
{
  (void) state;
  shell ("init ws; cd ws/.git; mkdir modules; i=0; while [ $i -lt 300 ]; do mkdir modules/$i; echo x > modules/$i/HEAD; i=$((i+1)); done");
  apply ();
  assert_int_equal (line ("ws/.git/modules"), WEIR_ACCESS_READ);
  assert_int_equal (line ("ws/.git/modules/1/hooks"), NO_LINE);
  end_policy ();
  shell ("rm -r ws/.git/modules; mkdir -p ws/.git/modules/old; echo x > ws/.git/modules/old/HEAD");
  apply ();
  before ();
  shell ("cd ws/.git/modules; i=0; while [ $i -lt 300 ]; do mkdir $i; echo x > $i/HEAD; i=$((i+1)); done");
  after ();
  shell ("cd ws/.git/modules; test -e old; test ! -e 1");
}

/* A submodule of the old kind, with its git directory in its place.  */
static void
test_embedded (void **state)
{
  (void) state;
  shell ("init ws; cd ws; init old; git -C old commit -q --allow-empty -m o; git add old 2>/dev/null; git commit -qm o");
  apply ();
  assert_int_equal (line ("ws/old/.git"), WEIR_ACCESS_PIN);
  assert_int_equal (line ("ws/old/.git/config"), WEIR_ACCESS_READ);
  before ();
  gitmeta_set_held (t.policy.git, 1);
  shell ("cd ws; echo x > old/f; git -C old add f; git -C old commit -qm f; git add old; git commit -qm f; "
         "init good; git -C good commit -q --allow-empty -m g; git add good 2>/dev/null");
  after ();
  quiet ();
  before ();
  shell ("cd ws; init evil; cd evil; git commit -q --allow-empty -m e; git config core.fsmonitor \"touch $D/ran; false\"; "
         "echo x > .git/hooks/pre-commit; cd ..; git add evil 2>/dev/null");
  after ();
  assert_int_equal (t.warnings.count, 2);
  shell ("git -C ws status >/dev/null 2>&1 || :; test ! -e ran; test ! -e ws/evil/.git/config");
}

/* The place of a submodule that was never filled.  */
static void
test_unfilled (void **state)
{
  static const char *const plants[] = {
    "init e; git config -f e/.git/config core.fsmonitor \"touch $D/ran; false\"; mv e/.git lib",
    "init e; git config -f e/.git/config core.fsmonitor \"touch $D/ran; false\"; echo 'gitdir: ../e/.git' > lib/.git",
    "init e; git config -f e/.git/config core.fsmonitor \"touch $D/ran; false\"; ln -s ../e/.git lib/.git",
    "git update-index --split-index; init e; git config -f e/.git/config core.fsmonitor \"touch $D/ran; false\"; mv e/.git lib",
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_SIZE (plants); i++) {
    shell ("rm -rf ws lib; init lib; git -C lib commit -q --allow-empty -m l; init src; cd src; sub add $D/lib lib; git commit -qm s; "
           "cd ..; git clone -q src ws; rm -rf src");
    apply ();
    before ();
    gitmeta_set_held (t.policy.git, 1);
    shell ("cd ws; %s; touch lib/x", plants[i]);
    after ();
    assert_true (t.warnings.count > 0);
    shell ("git -C ws status >/dev/null 2>&1 || :; test ! -e ran");
    end_policy ();
  }
  /* Filled by git itself.  */
  shell ("rm -rf ws; init src; cd src; sub add $D/lib lib; git commit -qm s; cd ..; git clone -q src ws");
  apply ();
  before ();
  gitmeta_set_held (t.policy.git, 1);
  shell ("cd ws; sub update --init");
  after ();
  quiet ();
  shell ("git -C ws/lib log >/dev/null");
}

static void
test_submodule_as_workspace (void **state)
{
  (void) state;
  shell ("rm -rf ws; init lib; git -C lib commit -q --allow-empty -m l; init super; cd super; sub add $D/lib ws; mv ws $D/ws; "
         "git config -f .git/modules/ws/config core.worktree $D/ws; echo \"gitdir: $D/super/.git/modules/ws\" > $D/ws/.git");
  apply ();
  assert_int_equal (line ("ws/.git"), WEIR_ACCESS_READ);
  assert_int_equal (line ("super/.git/modules/ws"), WEIR_ACCESS_WRITE);
  assert_int_equal (line ("super/.git/modules/ws/hooks"), WEIR_ACCESS_READ);
  assert_int_equal (line ("super/.git/modules/ws/config"), WEIR_ACCESS_READ);
  assert_int_equal (line ("super/.git"), NO_LINE);
  before ();
  shell ("cd ws; echo x > f; git add f; git commit -qm f");
  after ();
  quiet ();
  end_policy ();
  shell ("git config -f super/.git/modules/ws/config core.worktree $D/other");
  apply ();
  assert_int_equal (line ("super/.git/modules/ws"), NO_LINE);
}

int
main (void)
{
#define TEST(f) cmocka_unit_test_setup_teardown (f, setup, teardown)
  const struct CMUnitTest tests[] = {
    TEST (test_nothing), TEST (test_read_only), TEST (test_plain), TEST (test_subdirectory), TEST (test_read_only_git),
    TEST (test_named_paths), TEST (test_hooks_everywhere), TEST (test_bare), TEST (test_ghost), TEST (test_ghost_used),
    TEST (test_ghost_shared), TEST (test_planted), TEST (test_held), TEST (test_held_early), TEST (test_unheld_content),
    TEST (test_unheld_structure), TEST (test_unheld_renamed), TEST (test_unheld_removed), TEST (test_unheld_modes),
    TEST (test_hard_link), TEST (test_overlap), TEST (test_overlap_process), TEST (test_leftover_commondir), TEST (test_strange), TEST (test_links),
    TEST (test_worktree_outside), TEST (test_worktree_refused), TEST (test_worktree_owner), TEST (test_worktrees),
    TEST (test_submodules), TEST (test_new_submodule), TEST (test_overlap_module), TEST (test_too_many_modules),
    TEST (test_submodule_as_workspace), TEST (test_embedded), TEST (test_unfilled),
  };

  if (system ("git --version >/dev/null 2>&1") != 0) {
    puts ("1..1\nok 1 - gitmeta # skip git is not installed");
    return 0;
  }
  return cmocka_run_group_tests_name ("gitmeta", tests, NULL, NULL);
}
