/* Signals that end a program, told to a pipe. A handler, not SIG_IGN or a mask: programs that are started inherit those. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "CBenchmarkPeers.h"

static volatile sig_atomic_t bell = -1;

static void ring(int number) {
  int before = errno;
  unsigned char byte = (unsigned char)number;
  ssize_t ignored = write(bell, &byte, 1);
  (void)ignored;
  errno = before;
}

void afb_catch_interrupts(int pipe) {
  struct sigaction action = {.sa_handler = ring, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  bell = pipe;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  /* Whoever started this program may have had them blocked. */
  sigset_t both;
  sigemptyset(&both);
  sigaddset(&both, SIGINT);
  sigaddset(&both, SIGTERM);
  pthread_sigmask(SIG_UNBLOCK, &both, NULL);
}
