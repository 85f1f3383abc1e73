/* System calls that Swift's Glibc module leaves out. */
#ifndef CLINUX_H
#define CLINUX_H

#include <errno.h>
#include <linux/sockios.h>
#include <malloc.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Reads what is at hand (page cache) and never waits for a disk: -1 with EAGAIN where it would have to. */
static inline ssize_t af_pread_nowait(int fd, void *_Nullable bytes, size_t count, int64_t offset) {
  const int nowait = 0x00000008; /* RWF_NOWAIT */
  struct iovec vector = {bytes, count};
  return syscall(SYS_preadv2, fd, &vector, 1UL, (unsigned long)offset, 0UL, nowait);
}

/* Bytes in a socket's send queue that the peer has not acknowledged; 0 where that is not known. */
static inline int af_unacknowledged_bytes(int socket) {
  int count = 0;
  return ioctl(socket, SIOCOUTQ, &count) == 0 ? count : 0;
}

/* Those of them that have been sent; the others wait for the peer to take more. 0 where that is not known. */
static inline int af_bytes_under_way(int socket) {
  int all = 0, unsent = 0;
  if (ioctl(socket, SIOCOUTQ, &all) != 0 || ioctl(socket, SIOCOUTQNSD, &unsent) != 0) return 0;
  return all - unsent;
}

/* The socket's own port, or 0 where it has none. */
static inline unsigned short af_local_port(int socket) {
  union { struct sockaddr any; struct sockaddr_in v4; struct sockaddr_in6 v6; } address;
  socklen_t size = sizeof address;
  if (getsockname(socket, &address.any, &size) != 0) return 0;
  if (address.any.sa_family == AF_INET) return ntohs(address.v4.sin_port);
  return address.any.sa_family == AF_INET6 ? ntohs(address.v6.sin6_port) : 0;
}

/* A detached thread with a stack of so many bytes that runs `body`: 0, or why there is none. */
static inline int af_start_thread(size_t stack, void *_Nullable (*_Nonnull body)(void *_Nullable), void *_Nullable argument) {
  pthread_attr_t attributes;
  int result = pthread_attr_init(&attributes);
  if (result != 0) return result;
  pthread_attr_setstacksize(&attributes, stack);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  result = pthread_create(&thread, &attributes, body, argument);
  pthread_attr_destroy(&attributes);
  return result;
}

/* Names the calling thread, 15 bytes at most, for ps, perf and gdb. */
static inline void af_set_thread_name(const char *_Nonnull name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/* Gives the calling thread, and those it starts, mount points of their own. */
static inline int af_unshare_mounts(void) { return syscall(SYS_unshare, 0x00020000 /* CLONE_NEWNS */); }

/* Renames unless there is something at `to` already: -1 with EEXIST then, EINVAL where the file system cannot promise it. */
static inline int af_rename_exclusive(const char *_Nonnull from, const char *_Nonnull to) {
  const unsigned int no_replace = 1; /* RENAME_NOREPLACE */
  const int here = -100;             /* AT_FDCWD; <fcntl.h> would make this module the owner of struct timespec */
  return (int)syscall(SYS_renameat2, here, from, here, to, no_replace);
}

/* Bytes that malloc has given out and not got back. */
static inline size_t af_allocated_bytes(void) {
  const struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

#endif
