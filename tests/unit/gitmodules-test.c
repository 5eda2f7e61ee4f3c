/* SPDX-License-Identifier: Apache-2.0 */
/* Git metadata of more than one: worktrees and submodules.  */
#include "config.h"

#include "tests/unit/gitmeta-support.h"

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
  const struct CMUnitTest tests[] = {
    TEST (test_worktree_outside), TEST (test_worktree_refused), TEST (test_worktree_owner), TEST (test_worktrees),
    TEST (test_submodules), TEST (test_new_submodule), TEST (test_overlap_module), TEST (test_too_many_modules),
    TEST (test_embedded), TEST (test_unfilled), TEST (test_submodule_as_workspace),
  };

  return run_group ("gitmodules", tests, ARRAY_SIZE (tests));
}
