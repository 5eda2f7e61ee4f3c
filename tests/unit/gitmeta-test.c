/* SPDX-License-Identifier: Apache-2.0 */
/* Git metadata of one repository: the lines for the view, and putting right what nothing held.  */
#include "config.h"

#include "tests/unit/gitmeta-support.h"

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

int
main (void)
{
  const struct CMUnitTest tests[] = {
    TEST (test_nothing), TEST (test_read_only), TEST (test_plain), TEST (test_subdirectory),
    TEST (test_read_only_git), TEST (test_named_paths), TEST (test_hooks_everywhere), TEST (test_bare),
    TEST (test_ghost), TEST (test_ghost_used), TEST (test_ghost_shared), TEST (test_planted), TEST (test_held),
    TEST (test_held_early), TEST (test_unheld_content), TEST (test_unheld_structure), TEST (test_unheld_renamed),
    TEST (test_unheld_removed), TEST (test_unheld_modes), TEST (test_hard_link), TEST (test_overlap),
    TEST (test_overlap_process), TEST (test_leftover_commondir), TEST (test_strange), TEST (test_links),
  };

  return run_group ("gitmeta", tests, ARRAY_SIZE (tests));
}
