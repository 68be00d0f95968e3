/* jsmn is a header; this is the file that has its functions. */
#include "jsmn.h"
