/* Small things that every file of the core uses: owned memory, strings, vectors of strings, descriptors.
 * Nothing here aborts: an allocation that fails returns NULL, or makes the buffer "failed", which is
 * asked for once at the end.  */
#ifndef WEIR_CORE_UTIL_H
#define WEIR_CORE_UTIL_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define ARRAY_SIZE(a) (sizeof (a) / sizeof (a)[0])
#define UNUSED __attribute__ ((unused))

void util_free_ptr (void *);  /* free (*(void **) p) */
void util_close_ptr (int *);  /* close unless negative, errno kept */
#define auto_free __attribute__ ((cleanup (util_free_ptr)))
#define auto_close __attribute__ ((cleanup (util_close_ptr)))

/* Hands an owned pointer or descriptor on.  */
#define steal(p) __extension__ ({ __typeof__ (p) *p_ = &(p); __typeof__ (p) v_ = *p_; *p_ = NULL; v_; })
static inline int
steal_fd (int *fd)
{
  int v = *fd;
  *fd = -1;
  return v;
}

/* A growing string.  Zero-initialised is empty.  */
struct strbuf {
  char *data; /* NUL-terminated once anything was added */
  size_t size;
  size_t room;
  int failed; /* out of memory at some time: data is not to be used */
};
void strbuf_add (struct strbuf *, const void *, size_t);
void strbuf_str (struct strbuf *, const char *);
void strbuf_fmt (struct strbuf *, const char *, ...) __attribute__ ((format (printf, 2, 3)));
void strbuf_vfmt (struct strbuf *, const char *, va_list);
char *strbuf_steal (struct strbuf *); /* NULL: failed; "" when empty */
void strbuf_free (struct strbuf *);
#define auto_strbuf __attribute__ ((cleanup (strbuf_free)))

/* A growing NULL-terminated vector of owned strings.  Zero-initialised is empty (items NULL).  */
struct strv {
  char **items;
  size_t count;
  size_t room;
  int failed;
};
void strv_add (struct strv *, const char *);         /* copies */
void strv_take (struct strv *, char *);              /* owns; NULL makes it failed */
void strv_fmt (struct strv *, const char *, ...) __attribute__ ((format (printf, 2, 3)));
int strv_has (const struct strv *, const char *);
const char *const *strv_items (const struct strv *); /* never NULL */
void strv_free (struct strv *);
#define auto_strv __attribute__ ((cleanup (strv_free)))

char *util_fmt (const char *, ...) __attribute__ ((format (printf, 1, 2))); /* NULL: out of memory */
/* Whole file, at most limit bytes (more: errno EFBIG), NUL after it.  NULL: errno.  Never blocks on a FIFO.  */
char *util_read_file (int dirfd, const char *path, size_t limit, size_t *size);
int util_write_all (int fd, const void *, size_t); /* -1: errno */
int64_t util_now_ms (void);                        /* CLOCK_MONOTONIC */
int64_t util_now_us (void);
/* path is root or lies beneath it (both canonical; root may be "/").  */
int util_path_beneath (const char *path, const char *root);
/* "name" of the entry in a NULL-terminated table that is nearest to word, NULL: nothing near.  */
const char *util_nearest (const char *word, const char *const *table);
/* Sealed memory file holding these bytes, close-on-exec, offset 0; executable when exec.  -1: errno.  */
int util_memfd (const char *name, const void *, size_t, int exec);
/* A random lower-case name of 16 hexadecimal digits.  */
void util_random_name (char out[17]);

#endif
