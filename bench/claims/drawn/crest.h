/* CREST's macros with drawn values. */
#include "drawn.h"
#define CREST_char(x) ((x) = (char)drawn_value())
#define CREST_unsigned_char(x) ((x) = (unsigned char)drawn_value())
#define CREST_short(x) ((x) = (short)drawn_value())
#define CREST_unsigned_short(x) ((x) = (unsigned short)drawn_value())
#define CREST_int(x) ((x) = (int)drawn_value())
#define CREST_unsigned_int(x) ((x) = (unsigned)drawn_value())
