/* The error object: code, errno, message, hints, cause.  First error wins.  See weir/weir.h for the getters.  */
#ifndef WEIR_CORE_ERROR_H
#define WEIR_CORE_ERROR_H

#define WEIR_NO_HOST_MACROS
#include <weir/plugin.h>
#include <weir/weir.h>

/* Sets *err unless it is set already.  Returns the code that then stands (or code, when err is NULL).  errnum's text
 * is appended to the message: "open '/x': No such file or directory".  */
weir_status error_set (weir_error **, weir_status, int errnum, const char *, ...)
  __attribute__ ((format (printf, 4, 5)));
/* A layer around *err that keeps its code.  */
weir_status error_wrap (weir_error **, const char *, ...) __attribute__ ((format (printf, 2, 3)));
weir_status error_hint (weir_error **, const char *, ...) __attribute__ ((format (printf, 2, 3)));
weir_status error_nomem (weir_error **); /* a static object: never allocates */
/* Moves src (which may be NULL) to *err unless that is set; src is consumed.  Returns the code that stands.  */
weir_status error_move (weir_error **err, weir_error *src);
void error_clear (weir_error **);
/* The message with its causes, and the hints, as lines "because: ..." and "hint: ...", for people.  */
char *error_text (const weir_error *);
#define auto_error __attribute__ ((cleanup (error_clear)))

#endif
