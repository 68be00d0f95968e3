/* CREST's interface: each macro makes a variable an input. */
#ifndef SYMCRETE_CREST_H
#define SYMCRETE_CREST_H

#include "symcrete.h"

#define CREST_char(x) ((x) = (char)symcrete_int8(#x))
#define CREST_unsigned_char(x) ((x) = symcrete_uint8(#x))
#define CREST_short(x) ((x) = symcrete_int16(#x))
#define CREST_unsigned_short(x) ((x) = symcrete_uint16(#x))
#define CREST_int(x) ((x) = symcrete_int32(#x))
#define CREST_unsigned_int(x) ((x) = symcrete_uint32(#x))
#define CREST_long(x) ((x) = symcrete_long(#x))
#define CREST_unsigned_long(x) ((x) = symcrete_ulong(#x))
#define CREST_long_long(x) ((x) = symcrete_int64(#x))
#define CREST_unsigned_long_long(x) ((x) = symcrete_uint64(#x))
#define CREST_longlong(x) CREST_long_long(x)
#define CREST_unsigned_longlong(x) CREST_unsigned_long_long(x)
#define CREST_float(x) ((x) = symcrete_float(#x))
#define CREST_double(x) ((x) = symcrete_double(#x))
#define CREST_bool(x) ((x) = symcrete_bool(#x))

#endif
