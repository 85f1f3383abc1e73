/* The floor for reading a body: one buffer, one pread a packet, nothing else. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "CBenchmarkPeers.h"

int64_t afb_pread_file(const char *file, size_t packet, char *error) {
  int fd = open(file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    snprintf(error, AFB_ERROR_SIZE, "open %s: %s", file, strerror(errno));
    return -1;
  }
  /* Page-aligned: where `malloc` puts a large block, 16 bytes into a page, some processors copy at half the speed. */
  void *block = NULL;
  if (posix_memalign(&block, 4096, packet) != 0) block = NULL;
  char *buffer = block;
  int64_t total = 0;
  ssize_t count = -1;
  while (buffer != NULL && (count = pread(fd, buffer, packet, total)) > 0) total += count;
  if (count < 0) snprintf(error, AFB_ERROR_SIZE, "read %s: %s", file, strerror(errno));
  free(buffer);
  close(fd);
  return count < 0 ? -1 : total;
}
