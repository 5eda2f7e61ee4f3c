/* SPDX-License-Identifier: Apache-2.0 */
/* Reaching a process outside by unix sockets, and by the network.  */
#include "attack.h"

#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

static socklen_t
address_of (struct sockaddr_un *a, const char *path, const char *abstract)
{
  memset (a, 0, sizeof *a);
  a->sun_family = AF_UNIX;
  if (path)
    return (socklen_t) (offsetof (struct sockaddr_un, sun_path)
                        + (size_t) snprintf (a->sun_path, sizeof a->sun_path, "%s", path) + 1);
  return (socklen_t) (offsetof (struct sockaddr_un, sun_path) + 1
                      + (size_t) snprintf (a->sun_path + 1, sizeof a->sun_path - 1, "%s", abstract));
}
static int
say_to (const struct attack_context *c, int type, const struct sockaddr_un *a, socklen_t size)
{
  int fd = socket (AF_UNIX, type, 0);
  if (fd < 0 || connect (fd, (const struct sockaddr *) a, size))
    return -1;
  return attack_result (send (fd, c->name, strlen (c->name), MSG_NOSIGNAL));
}
static int
path_stream (const struct attack_context *c)
{
  struct sockaddr_un a;
  return say_to (c, SOCK_STREAM, &a, address_of (&a, c->socket_stream, NULL));
}
static int
path_datagram (const struct attack_context *c)
{
  struct sockaddr_un a;
  return say_to (c, SOCK_DGRAM, &a, address_of (&a, c->socket_datagram, NULL));
}
static int
path_sendto (const struct attack_context *c)
{
  struct sockaddr_un a;
  socklen_t size = address_of (&a, c->socket_datagram, NULL);
  return attack_result (
    sendto (socket (AF_UNIX, SOCK_DGRAM, 0), c->name, strlen (c->name), 0, (struct sockaddr *) &a, size));
}
static int
path_sendmsg (const struct attack_context *c) /* by one of a pair: no call of socket */
{
  struct sockaddr_un a;
  struct iovec v = { (void *) c->name, strlen (c->name) };
  struct msghdr m = { .msg_name = &a, .msg_namelen = address_of (&a, c->socket_datagram, NULL), .msg_iov = &v,
                      .msg_iovlen = 1 };
  int pair[2];
  if (socketpair (AF_UNIX, SOCK_DGRAM, 0, pair))
    return -1;
  return attack_result (sendmsg (pair[0], &m, 0));
}
static int
path_by_link (const struct attack_context *c)
{
  struct sockaddr_un a;
  char here[4200];
  snprintf (here, sizeof here, "%s/sock-%d", c->workspace, getpid ());
  if (symlink (c->socket_stream, here) || strlen (here) >= sizeof a.sun_path)
    return -1;
  return say_to (c, SOCK_STREAM, &a, address_of (&a, here, NULL));
}
static int
path_by_descriptor (const struct attack_context *c)
{
  struct sockaddr_un a;
  char path[64];
  int fd = open (c->socket_stream, O_PATH);
  if (fd < 0)
    return -1;
  snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
  return say_to (c, SOCK_STREAM, &a, address_of (&a, path, NULL));
}
static int
abstract_stream (const struct attack_context *c)
{
  struct sockaddr_un a;
  char name[100];
  snprintf (name, sizeof name, "weir-%s-stream", c->tag);
  return say_to (c, SOCK_STREAM, &a, address_of (&a, NULL, name));
}
static int
abstract_datagram (const struct attack_context *c)
{
  struct sockaddr_un a;
  char name[100];
  snprintf (name, sizeof name, "weir-%s-datagram", c->tag);
  return say_to (c, SOCK_DGRAM, &a, address_of (&a, NULL, name));
}
static int
abstract_sendto (const struct attack_context *c)
{
  struct sockaddr_un a;
  char name[100];
  int pair[2];
  socklen_t size;
  snprintf (name, sizeof name, "weir-%s-datagram", c->tag);
  size = address_of (&a, NULL, name);
  if (socketpair (AF_UNIX, SOCK_DGRAM, 0, pair))
    return -1;
  return attack_result (sendto (pair[0], c->name, strlen (c->name), 0, (struct sockaddr *) &a, size));
}
static int
family (int number, int type, int protocol)
{
  return attack_result (socket (number, type, protocol));
}
static int
vsock (const struct attack_context *c)
{
  (void) c;
  return family (40, SOCK_STREAM, 0);
}
static int
vsock_high (const struct attack_context *c)
{
  (void) c;
  return attack_result (syscall (SYS_socket, 40ul | 1ul << 32, SOCK_STREAM, 0));
}
static int
alg (const struct attack_context *c)
{
  (void) c;
  return family (38, SOCK_SEQPACKET, 0);
}
static int
packet (const struct attack_context *c)
{
  (void) c;
  return family (17, SOCK_RAW, 0);
}
static int
bluetooth (const struct attack_context *c)
{
  (void) c;
  return family (31, SOCK_RAW, 1);
}

#define PATHS "file system stay connectable"
#define ABSTRACT "abstract sockets"
const struct attack attack_sockets[] = {
  { "path-stream", path_stream, 0, 0, PATHS },
  { "path-datagram", path_datagram, 0, 0, PATHS },
  { "path-sendto", path_sendto, 0, 0, PATHS },
  { "path-sendmsg-of-pair", path_sendmsg, 0, 0, PATHS },
  { "path-by-link", path_by_link, 0, 0, PATHS },
  { "path-proc-self-fd", path_by_descriptor, 0, 0, PATHS },
  { "abstract-stream", abstract_stream, 0, 0, ABSTRACT },
  { "abstract-datagram", abstract_datagram, 0, 0, ABSTRACT },
  { "abstract-sendto-of-pair", abstract_sendto, 0, 0, ABSTRACT },
  { "vsock", vsock, ATTACK_BOAST, 0, NULL },
  { "vsock-high-bit", vsock_high, ATTACK_BOAST, 0, NULL },
  { "alg", alg, ATTACK_BOAST, 0, NULL },
  { "packet", packet, ATTACK_BOAST, 0, NULL },
  { "bluetooth", bluetooth, ATTACK_BOAST, 0, NULL },
  { NULL, NULL, 0, 0, NULL },
};

/* ---- the network, where it is closed: the victim listens on 127.0.0.1 ---- */

static struct sockaddr_in
inet_of (int port)
{
  struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons ((uint16_t) port) };
  a.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  return a;
}
static int
stream_to (const struct attack_context *c, int protocol)
{
  struct sockaddr_in a = inet_of (c->tcp);
  int fd = socket (AF_INET, SOCK_STREAM, protocol);
  if (fd < 0 || connect (fd, (struct sockaddr *) &a, sizeof a))
    return -1;
  return attack_result (send (fd, c->name, strlen (c->name), MSG_NOSIGNAL));
}
static int
tcp (const struct attack_context *c)
{
  return stream_to (c, 0);
}
static int
mptcp (const struct attack_context *c)
{
  return stream_to (c, 262);
}
static int
tcp_fast_open (const struct attack_context *c)
{
  struct sockaddr_in a = inet_of (c->tcp);
  return attack_result (sendto (socket (AF_INET, SOCK_STREAM, 0), c->name, strlen (c->name), 0x20000000 | MSG_NOSIGNAL,
                                (struct sockaddr *) &a, sizeof a));
}
static int
tcp_six (const struct attack_context *c) /* a mapped address */
{
  struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_port = htons ((uint16_t) c->tcp) };
  int fd = socket (AF_INET6, SOCK_STREAM, 0);
  a.sin6_addr.s6_addr[10] = a.sin6_addr.s6_addr[11] = 255;
  a.sin6_addr.s6_addr[12] = 127;
  a.sin6_addr.s6_addr[15] = 1;
  if (fd < 0 || connect (fd, (struct sockaddr *) &a, sizeof a))
    return -1;
  return attack_result (send (fd, c->name, strlen (c->name), MSG_NOSIGNAL));
}
static int
udp (const struct attack_context *c)
{
  struct sockaddr_in a = inet_of (c->udp);
  return attack_result (
    sendto (socket (AF_INET, SOCK_DGRAM, 0), c->name, strlen (c->name), 0, (struct sockaddr *) &a, sizeof a));
}
static int
udp_high (const struct attack_context *c) /* the kernel looks at 32 bits of a family */
{
  struct sockaddr_in a = inet_of (c->udp);
  int fd = (int) syscall (SYS_socket, (unsigned long) AF_INET | 1ul << 32, SOCK_DGRAM, 0);
  return attack_result (sendto (fd, c->name, strlen (c->name), 0, (struct sockaddr *) &a, sizeof a));
}
static int
udp_connected (const struct attack_context *c)
{
  struct sockaddr_in a = inet_of (c->udp);
  int fd = socket (AF_INET, SOCK_DGRAM, 0);
  if (fd < 0 || connect (fd, (struct sockaddr *) &a, sizeof a))
    return -1;
  return attack_result (write (fd, c->name, strlen (c->name)));
}
static int
raw (const struct attack_context *c)
{
  (void) c;
  return family (AF_INET, SOCK_RAW, IPPROTO_RAW);
}
static int
packet_network (const struct attack_context *c)
{
  return packet (c);
}

const struct attack attack_network[] = {
  { "tcp", tcp, 0, 0, NULL },
  { "tcp-over-ipv6", tcp_six, 0, 0, NULL },
  { "tcp-fast-open", tcp_fast_open, 0, 0, NULL },
  { "mptcp", mptcp, 0, 0, NULL },
  { "udp", udp, 0, 0, NULL },
  { "udp-high-bit", udp_high, 0, 0, NULL },
  { "udp-connected", udp_connected, 0, 0, NULL },
  { "abstract-stream", abstract_stream, 0, 0, ABSTRACT },
  { "abstract-datagram", abstract_datagram, 0, 0, ABSTRACT },
  { "raw", raw, ATTACK_BOAST, 0, NULL },
  { "packet", packet_network, ATTACK_BOAST, 0, NULL },
  { "vsock", vsock, ATTACK_BOAST, 0, NULL },
  { NULL, NULL, 0, 0, NULL },
};
