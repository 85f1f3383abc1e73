/* zlib's inflateInit2 is a macro over a versioned function. */
#ifndef CZLIB_H
#define CZLIB_H

#include <zlib.h>

static inline int af_inflateInit2(z_streamp _Nonnull stream, int window_bits) { return inflateInit2(stream, window_bits); }

#endif
