/* What a program can see of the machine's types and of its C library. A native build prints it; the model's is compared with that
 * (native.h has what was printed). */
#define _DEFAULT_SOURCE 1
#include <complex.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <float.h>
#include <limits.h>
#include <locale.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <regex.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <termios.h>
#include <time.h>
#include <wchar.h>
#include <wctype.h>

typedef int (*function)(void);
struct long_behind_char { char a; long b; };
struct double_between { char a; double b; char c; };
struct quad_between { char a; long double b; char c; };
struct pointer_between { char a; void *p; short c; };
struct bits { int a : 3; unsigned b : 5; int c : 26; };
struct mixed_bits { char a; int b : 4; long c : 40; char d; };
struct short_bits { unsigned char a : 4; unsigned short b : 9; unsigned c : 20; int : 0; char d; };
struct wide_bits { _Bool a : 1; long long b : 63; };
struct __attribute__((packed)) packed { char a; long b; };
struct flexible { int n; long data[]; };
struct wide_integer { char c; __int128 x; };
struct nested { char a; struct double_inside { char c; double d; } in; };
enum small { SMALL };
enum negative { NEGATIVE = -1 };
enum wide { WIDE = 0x100000000 };
enum __attribute__((packed)) packed_enum { PACKED };
union mixed { char c[9]; long l; };

/* Where bits of a structure are. */
static long bits_as_word(void)
{
    struct mixed_bits bits;
    long word;

    memset(&bits, 0, sizeof bits);
    bits.a = 1, bits.b = 5, bits.c = 0x123456789a, bits.d = 2;
    memcpy(&word, &bits, sizeof word);
    return word;
}

#define SIZE(type) add(1000 * sizeof(type) + _Alignof(type));
#define PLACE(type, member) add(offsetof(type, member));
#define VALUE(value) add(value);
#define mixed_bits_word bits_as_word()

static long rows[200];
static int n_rows;
static void add(long value) { rows[n_rows++] = value; }
static void fill(void)
{
    n_rows = 0;
#include "rows.h"
}

#ifdef __SYMCRETE__
static const long native[] = {
#include "native.h"
};

/* The first row from some on that differs, or -1. */
int first_difference(int from)
{
    fill();
    for (int i = from; i < n_rows; i++)
        if (rows[i] != native[i])
            return i;
    return -1;
}
#else
int main(void)
{
    fill();
    for (int i = 0; i < n_rows; i++)
        printf("%ld,\n", rows[i]);
    return 0;
}
#endif
