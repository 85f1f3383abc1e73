/* Where a process's time goes, by stage: a timer of its own processor time interrupts it, and the instruction it stood at
   tells the stage. A system call counts as a whole, since the interrupt arrives when it returns. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

#include "CBenchmarkPeers.h"

enum { CAPACITY = 1 << 16 };

static void *places[CAPACITY];
static atomic_int count;

static void note(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info;
  const ucontext_t *user = context;
#if defined(__x86_64__)
  void *place = (void *)user->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  void *place = (void *)user->uc_mcontext.pc;
#else
  void *place = NULL;
#endif
  int index = atomic_fetch_add(&count, 1);
  if (index < CAPACITY) places[index] = place;
}

void afb_profile_start(void) {
  struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigaction(SIGPROF, &action, NULL);
  atomic_store(&count, 0);
  struct itimerval interval = {.it_interval.tv_usec = 1000, .it_value.tv_usec = 1000};
  setitimer(ITIMER_PROF, &interval, NULL);
}

static int is_one_of(const char *name, const char *const *names) {
  while (*name == '_') name++;
  for (; *names != NULL; names++)
    if (strcmp(name, *names) == 0) return 1;
  return 0;
}

static int is_near(const void *place, const void *start) {
  uintptr_t distance = (uintptr_t)place - (uintptr_t)start;
  return distance < 2048;
}

static afb_stage stage_of(void *place) {
  static const char *const reads[] = {"read", "pread", "pread64", "preadv", "preadv2", "preadv64v2", "readv", "syscall",
                                      "sendfile", "sendfile64", NULL};
  static const char *const writes[] = {"write", "pwrite", "pwrite64", "pwritev", "pwritev2", "writev", NULL};
  static const char *const sockets[] = {"send",    "sendto",     "sendmsg", "recv", "recvfrom",   "recvmsg",
                                        "connect", "epoll_wait", "poll",    "ppoll", "epoll_ctl", "shutdown", NULL};
  /* The library's own name for these is not exported; what the linker resolved them to is where they begin. */
  if (is_near(place, dlsym(RTLD_DEFAULT, "memcpy")) || is_near(place, dlsym(RTLD_DEFAULT, "memmove")) ||
      is_near(place, dlsym(RTLD_DEFAULT, "memset")))
    return AFB_STAGE_COPY;
  Dl_info info;
  if (dladdr(place, &info) == 0 || info.dli_fname == NULL) return AFB_STAGE_OTHER;
  if (strstr(info.dli_fname, "libcrypto") != NULL || strstr(info.dli_fname, "libssl") != NULL) return AFB_STAGE_TLS;
  if (strstr(info.dli_fname, "libc.so") != NULL && info.dli_sname != NULL) {
    if (is_one_of(info.dli_sname, reads)) return AFB_STAGE_READ;
    if (is_one_of(info.dli_sname, writes)) return AFB_STAGE_WRITE;
    if (is_one_of(info.dli_sname, sockets)) return AFB_STAGE_SOCKET;
  }
  return AFB_STAGE_OTHER;
}

void afb_profile_stop(double shares[AFB_STAGE_COUNT]) {
  struct itimerval never = {0};
  setitimer(ITIMER_PROF, &never, NULL);
  int total = atomic_load(&count);
  if (total > CAPACITY) total = CAPACITY;
  for (int i = 0; i < AFB_STAGE_COUNT; i++) shares[i] = 0;
  for (int i = 0; i < total; i++) shares[stage_of(places[i])] += 1.0 / total;
}
