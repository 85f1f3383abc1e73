/* Preloaded by Scripts/test: memory that is not to be had, when a test says so (AFTestSupport/Tools/FailingMemory.swift). Until
   then everything goes to the C library. Mappings count too; memory is given back as always. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

/* Requests of at least so many bytes count. */
static atomic_size_t smallest = SIZE_MAX;
/* Which of them fails; 0: all. */
static atomic_long chosen;
static atomic_long counted;

/* With SIZE_MAX / 2 and more nothing fails any longer. */
void af_fail_memory(size_t from, long number) {
  // What was counted stays to be asked for after the end.
  if (atomic_exchange(&smallest, SIZE_MAX) >= SIZE_MAX / 2) atomic_store(&counted, 0);
  atomic_store(&chosen, number);
  atomic_store(&smallest, from);
}

/* How many requests have counted since. */
long af_counted_memory(void) { return atomic_load(&counted); }

static int fails(size_t size) {
  if (size < atomic_load_explicit(&smallest, memory_order_relaxed)) return 0;
  long number = atomic_fetch_add(&counted, 1) + 1, wanted = atomic_load(&chosen);
  if (wanted != 0 && number != wanted) return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) { return fails(size) ? NULL : __libc_malloc(size); }

void *calloc(size_t count, size_t size) {
  size_t total;
  if (__builtin_mul_overflow(count, size, &total)) total = SIZE_MAX;
  return fails(total) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) { return fails(size) ? NULL : __libc_realloc(block, size); }

void *aligned_alloc(size_t alignment, size_t size) { return fails(size) ? NULL : __libc_memalign(alignment, size); }

void *memalign(size_t alignment, size_t size) { return fails(size) ? NULL : __libc_memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
  if (fails(size)) return ENOMEM;
  void *made = __libc_memalign(alignment, size);
  if (made == NULL) return ENOMEM;
  *block = made;
  return 0;
}

void *mmap(void *address, size_t size, int protection, int flags, int descriptor, off_t offset) {
  if (fails(size)) return MAP_FAILED;
  return (void *)syscall(SYS_mmap, address, size, protection, flags, descriptor, offset);
}
