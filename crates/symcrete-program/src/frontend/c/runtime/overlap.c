/* Copies between memory that overlaps, where C forbids it: some machines read there what they have written already. What counts is
 * what AddressSanitizer reports. */

#include <stddef.h>
#include <stdint.h>
#include "symcrete.h"

enum { FAIL_OVERLAP = 8 };

/* Zero if these are not in one object; the last one if they are, or if nobody knows. */
SYMCRETE_HOST(together) int symcrete_together(const void *one, const void *other, int result);

static void fail_if_together(const char *to, const char *from)
{
    if (symcrete_together(to, from, 1))
        symcrete_fail(FAIL_OVERLAP);
}

/* Called before a copy. One that leaves an object on its way to another one fails for that. */
void __symcrete_apart(const char *to, const char *from, size_t n)
{
    size_t distance = to < from ? (uintptr_t)from - (uintptr_t)to : (uintptr_t)to - (uintptr_t)from;
    if (distance != 0 && distance < n)
        fail_if_together(to, from);
}

/* Copies a string up to its end, or up to so many bytes. Returns how many were copied, without the end. */
static size_t __symcrete_copy_string(char *to, const char *from, size_t max)
{
    size_t n = 0;
    for (; n < max; n++) {
        if (from + n == to)
            fail_if_together(to, from);
        if (!(to[n] = from[n]))
            break;
    }
    __symcrete_apart(to, from, n < max ? n + 1 : n);
    return n;
}
