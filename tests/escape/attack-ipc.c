/* SPDX-License-Identifier: Apache-2.0 */
/* System V and POSIX IPC of others.  The identifiers are the host's; attacks by key look for the one of the driver.  */
#include "attack.h"

#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

#define SHM_ID 20 /* the byte of the segment that is written */

static int
shm_write (const struct attack_context *c)
{
  char *p = shmat (c->shm, NULL, 0);
  if (p == (void *) -1)
    return -1;
  p[SHM_ID] = 'X';
  return 0;
}
static int
shm_mode (const struct attack_context *c)
{
  struct shmid_ds ds;
  if (shmctl (c->shm, IPC_STAT, &ds))
    return -1;
  ds.shm_perm.mode = 0604;
  return shmctl (c->shm, IPC_SET, &ds);
}
static int
sem_change (const struct attack_context *c)
{
  struct sembuf op = { 0, 1, 0 };
  return semop (c->sem, &op, 1);
}
static int
msg_send (const struct attack_context *c)
{
  struct {
    long type;
    char text[64];
  } m = { .type = 1 };
  snprintf (m.text, sizeof m.text, "%s", c->name);
  return msgsnd (c->msg, &m, strlen (m.text), IPC_NOWAIT);
}
static int
shm_posix (const struct attack_context *c)
{
  char path[200];
  snprintf (path, sizeof path, "/dev/shm/weir-%s", c->tag);
  return attack_write (c, open (path, O_WRONLY | O_APPEND));
}
static int
shm_posix_unlink (const struct attack_context *c)
{
  char path[200];
  snprintf (path, sizeof path, "/dev/shm/weir-%s-2", c->tag);
  return unlink (path);
}
static int
mq_post (const struct attack_context *c)
{
  char name[200];
  mqd_t q;
  snprintf (name, sizeof name, "/weir-%s", c->tag);
  q = mq_open (name, O_WRONLY | O_NONBLOCK);
  return q == (mqd_t) -1 ? -1 : mq_send (q, c->name, strlen (c->name), 1);
}
static int
mq_remove (const struct attack_context *c)
{
  char name[200];
  snprintf (name, sizeof name, "/weir-%s-2", c->tag);
  return mq_unlink (name);
}

#define GAP "System V"
#define QUEUES "message queues"
const struct attack attack_ipc[] = {
  { "shmat-write", shm_write, 0, 0, GAP },
  { "shmctl-set", shm_mode, 0, 0, GAP },
  { "semop", sem_change, 0, 0, GAP },
  { "msgsnd", msg_send, 0, 0, GAP },
  { "shm-open", shm_posix, 0, 0, NULL },
  { "shm-unlink", shm_posix_unlink, 0, 0, NULL },
  { "mq-send", mq_post, 0, 0, QUEUES },
  { "mq-unlink", mq_remove, 0, 0, QUEUES },
  { NULL, NULL, 0, 0, NULL },
};
