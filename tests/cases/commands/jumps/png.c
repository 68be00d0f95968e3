/* Error handling as libpng has it: the state is in the object, errors are raised through a function pointer. */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

typedef struct png_struct png_struct;
typedef void (*png_error_ptr)(png_struct *, const char *);

struct png_struct {
    jmp_buf jmpbuf;
    png_error_ptr error_fn;
    const unsigned char *at;
    size_t left;
    int warnings;
};

#define png_jmpbuf(p) ((p)->jmpbuf)

static void on_error(png_struct *png, const char *message)
{
    (void)message;
    longjmp(png->jmpbuf, 1);
}

__attribute__((noreturn)) static void png_error(png_struct *png, const char *message)
{
    if (png->error_fn)
        png->error_fn(png, message);
    abort();
}

static unsigned read_byte(png_struct *png)
{
    if (png->left == 0)
        png_error(png, "end of data");
    png->left--;
    return *png->at++;
}

static unsigned read_number(png_struct *png)
{
    unsigned high = read_byte(png);
    unsigned low = read_byte(png);
    if (high & 0x80)
        png_error(png, "number out of range");
    return high << 8 | low;
}

static int read_header(png_struct *png)
{
    if (read_byte(png) != 'P')
        png_error(png, "no image");
    return (int)read_number(png);
}

/* The sum of what follows the header; -1 if something is wrong. */
int png(const unsigned char *data, size_t length)
{
    png_struct *png = calloc(1, sizeof *png);
    unsigned *volatile row = NULL;
    volatile int done = 0;
    int width, sum = 0;

    if (!png)
        return -3;
    png->error_fn = on_error;
    png->at = data;
    png->left = length;
    if (setjmp(png_jmpbuf(png))) {
        int result = row ? -2 : -1;
        if (done > 1)
            result = -10;
        free(row);
        free(png);
        return result;
    }
    width = read_header(png);
    if (width == 0 || width > 3)
        png_error(png, "size");
    row = malloc((size_t)width * sizeof *row);
    if (!row)
        png_error(png, "memory");
    for (int i = 0; i < width; i++) {
        row[i] = read_number(png);
        sum += (int)row[i];
        done = i + 1;
    }
    free(row);
    free(png);
    return sum == 1000 ? 1 : 0;
}
