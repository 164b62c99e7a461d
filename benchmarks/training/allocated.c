/* Counts the bytes that a process asks the C library for; to be preloaded. glibc only. */
#include <errno.h>
#include <stddef.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);
static unsigned long long total;
#define COUNT(n) __atomic_fetch_add(&total, (n), __ATOMIC_RELAXED)

unsigned long long allocated_bytes(void) { return total; }
void *malloc(size_t n) { COUNT(n); return __libc_malloc(n); }
void *calloc(size_t n, size_t m) { COUNT(n * m); return __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { COUNT(n); return __libc_realloc(p, n); }
void *memalign(size_t a, size_t n) { COUNT(n); return __libc_memalign(a, n); }
void *aligned_alloc(size_t a, size_t n) { COUNT(n); return __libc_memalign(a, n); }
int posix_memalign(void **p, size_t a, size_t n) {
  COUNT(n);
  return (*p = __libc_memalign(a, n)) ? 0 : ENOMEM;
}
