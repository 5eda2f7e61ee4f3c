/* SPDX-License-Identifier: Apache-2.0 */
/* weir-attack run KIND WORD=VALUE...: tries the attacks of a kind, each in a process of its own, and prints for each
 * "NAME ok", "NAME denied: WHY", "NAME na".  weir-attack list: what there is, one line an attack: kind, name, 1 for
 * BOAST, mark, gap.  */
#include "attack.h"

#include <signal.h>
#include <sys/wait.h>

static const struct attack_kind attack_kinds[] = {
  { "content", attack_content },
  { "names", attack_names },
  { "metadata", attack_metadata },
  { "reading", attack_reading },
  { "mounts", attack_mounts },
  { "devices", attack_devices },
  { "processes", attack_processes },
  { "sockets", attack_sockets },
  { "ipc", attack_ipc },
  { "kernel", attack_kernel },
  { "descriptors", attack_descriptors },
  { "setid", attack_setid },
  { "network", attack_network },
  { "git", attack_git },
  { NULL, NULL },
};

const char *
attack_path (const struct attack_context *c, const char *name)
{
  static char paths[8][4096];
  static unsigned next;
  char *path = paths[next++ % 8];

  snprintf (path, sizeof paths[0], "%s/%s", c->at, name);
  return path;
}

int
attack_write (const struct attack_context *c, int fd)
{
  int result;

  if (fd < 0)
    return -1;
  result = write (fd, c->name, strlen (c->name)) < 0 ? -1 : 0;
  close (fd);
  return result;
}

int
attack_result (long result)
{
  return result < 0 ? -1 : 0;
}

void
attack_found (const struct attack_context *c, const void *bytes, size_t size)
{
  const unsigned char *p = bytes;

  printf ("%s found ", c->name);
  for (size_t i = 0; i < size; i++)
    if ((p[i] >= '0' && p[i] <= '9') || (p[i] >= 'a' && p[i] <= 'z'))
      putchar (p[i]);
  putchar ('\n');
}

static const char *
main_word (int argc, char **argv, const char *word)
{
  size_t length = strlen (word);

  for (int i = 3; i < argc; i++)
    if (strncmp (argv[i], word, length) == 0 && argv[i][length] == '=')
      return argv[i] + length + 1;
  return "";
}

static unsigned long
main_number (int argc, char **argv, const char *word)
{
  return strtoul (main_word (argc, argv, word), NULL, 0);
}

/* A pipe brings the outcome, so that a process which dies has none.  */
static void
main_try (const struct attack *attack, const struct attack_context *c)
{
  int ends[2], outcome[2] = { -1, EIO }, status;
  pid_t child;

  fflush (stdout);
  if (pipe (ends) || (child = fork ()) < 0) {
    printf ("%s na: no process\n", c->name);
    return;
  }
  if (child == 0) {
    alarm (20);
    close (ends[0]);
    errno = 0;
    outcome[0] = attack->run (c);
    outcome[1] = errno;
    fflush (stdout);
    if (write (ends[1], outcome, sizeof outcome) < 0)
      _exit (2);
    _exit (0);
  }
  close (ends[1]);
  if (read (ends[0], outcome, sizeof outcome) != (ssize_t) sizeof outcome)
    outcome[0] = -1;
  close (ends[0]);
  waitpid (child, &status, 0);
  if (outcome[0] == ATTACK_NA)
    printf ("%s na: %s\n", c->name, outcome[1] ? strerror (outcome[1]) : "not here");
  else if (outcome[0] < 0)
    printf ("%s denied: %s\n", c->name, strerror (outcome[1]));
  else
    printf ("%s ok\n", c->name);
}

static int
main_run (int argc, char **argv)
{
  const struct attack_kind *kind = attack_kinds;
  struct attack_context c = {
    .workspace = main_word (argc, argv, "workspace"),
    .outside = main_word (argc, argv, "outside"),
    .tag = main_word (argc, argv, "tag"),
    .terminal = main_word (argc, argv, "terminal"),
    .socket_stream = main_word (argc, argv, "stream"),
    .socket_datagram = main_word (argc, argv, "datagram"),
    .pid = (int) main_number (argc, argv, "pid"),
    .memory = main_number (argc, argv, "memory"),
    .secret = main_number (argc, argv, "secret"),
    .pty_fd = (int) main_number (argc, argv, "pty_fd"),
    .file_fd = (int) main_number (argc, argv, "file_fd"),
    .tcp = (int) main_number (argc, argv, "tcp"),
    .udp = (int) main_number (argc, argv, "udp"),
    .shm = (int) main_number (argc, argv, "shm"),
    .sem = (int) main_number (argc, argv, "sem"),
    .msg = (int) main_number (argc, argv, "msg"),
  };

  while (kind->name && strcmp (kind->name, argv[2]))
    kind++;
  if (!kind->name)
    return 2;
  signal (SIGPIPE, SIG_IGN);
  for (const struct attack *a = kind->attacks; a->name; a++) {
    char at[4096];
    snprintf (at, sizeof at, "%s/%s", main_word (argc, argv, "place"), a->name);
    c.at = at;
    c.name = a->name;
    main_try (a, &c);
  }
  puts ("end");
  return 0;
}

int
main (int argc, char **argv)
{
  if (argc >= 3 && strcmp (argv[1], "run") == 0)
    return main_run (argc, argv);
  if (argc == 2 && strcmp (argv[1], "list") == 0) {
    for (const struct attack_kind *k = attack_kinds; k->name; k++)
      for (const struct attack *a = k->attacks; a->name; a++)
        printf ("%s\t%s\t%u\t%d\t%s\n", k->name, a->name, a->flags, a->mark, a->gap ? a->gap : "");
    return 0;
  }
  if (argc == 3 && strcmp (argv[1], "sleep") == 0) { /* a daemon, known by its argument */
    for (;;)
      pause ();
  }
  fputs ("usage: weir-attack run KIND WORD=VALUE... | list\n", stderr);
  return 2;
}
