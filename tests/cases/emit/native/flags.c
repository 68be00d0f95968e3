/* Needs a folder of headers and macros to compile. */
// gen: -Iinclude -DLIMIT=12
#include <settings.h>

#ifndef LIMIT
#error no limit
#endif

int over(struct settings s)
{
    return s.level > LIMIT && s.mode == MODE_LOUD;
}
