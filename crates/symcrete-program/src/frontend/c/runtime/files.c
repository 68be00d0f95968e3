/* The world of a program: standard input, files in memory, a clock, random numbers. Written in C, so that symbolic bytes flow
 * through it.
 *
 * Output is discarded, stdin is an input of the program, files are in memory, time and random numbers are the same in every
 * run. What a C library asks the system for it finds here, through WASI's calls (wasi.c) or those of Linux (linux.c). Functions
 * that can fail return 0 or one of the library's own numbers of errors. */
#include <errno.h>
#include "symcrete.h"

SYMCRETE_HOST(exit) void symcrete_exit(int status) __attribute__((noreturn));
__attribute__((noreturn)) void __symcrete_unsupported(void);
const char *__symcrete_cell(const char *name, unsigned index);
void __symcrete_limited(void);

enum { OPEN_CREATE = 1, OPEN_DIRECTORY = 2, OPEN_EXCLUSIVE = 4, OPEN_TRUNCATE = 8, FLAG_APPEND = 1 };
enum { ROOT = 3, N_DESCRIPTORS = 32, N_FILES = 16, NAME_MAX_ = 64, CREATED_CAPACITY = 4096 };
enum kind { TERMINAL, DIRECTORY, REGULAR };

/* A file in memory; one with an empty name does not exist. The command line fills the first ones. */
struct file {
    char name[NAME_MAX_];
    uint32_t data;
    uint32_t size;
    uint32_t capacity;
};

#define EXPORTED __attribute__((used))
EXPORTED struct file __symcrete_files[N_FILES];
EXPORTED char __symcrete_file_bytes[65536];
EXPORTED uint32_t __symcrete_file_bytes_used;
/* The most bytes of an input that are looked at. */
EXPORTED uint32_t __symcrete_input_max = 64;

struct descriptor {
    uint32_t is_open;
    uint32_t file;
    uint64_t position;
    uint32_t flags;
};

/* What there is to know of a file without opening it. */
struct described {
    enum kind kind;
    uint64_t inode;
    uint64_t size;
};

static struct descriptor descriptors[N_DESCRIPTORS];
static uint32_t stdin_length, stdin_position;
static _Bool stdin_is_drawn;

#define AT(type, address) (*(type *)(uintptr_t)(address))

static struct descriptor *file_of(int fd)
{
    if (fd <= ROOT || fd >= N_DESCRIPTORS || !descriptors[fd].is_open)
        return 0;
    return &descriptors[fd];
}

/* Bytes are asked for when they are read: the inputs of a run are those that mattered. */
static uint32_t read_stdin(unsigned char *to, uint32_t size)
{
    uint32_t n = 0;

    if (!stdin_is_drawn) {
        stdin_is_drawn = 1;
        stdin_length = symcrete_uint32("stdin.length");
        if (stdin_length > __symcrete_input_max)
            __symcrete_limited();
    }
    while (n < size && stdin_position < __symcrete_input_max && stdin_position < stdin_length)
        to[n++] = symcrete_uint8(__symcrete_cell("stdin", stdin_position++));
    return n;
}

static uint32_t read_file_at(uint32_t number, uint64_t position, unsigned char *to, uint32_t size)
{
    struct file *file = &__symcrete_files[number];
    uint32_t n = 0;

    while (n < size && position < file->size)
        to[n++] = AT(unsigned char, file->data + (uint32_t)position++);
    return n;
}

static uint32_t write_file_at(uint32_t number, uint64_t position, const unsigned char *from, uint32_t size)
{
    struct file *file = &__symcrete_files[number];
    uint32_t n = 0;

    while (n < size && position < file->capacity) {
        AT(unsigned char, file->data + (uint32_t)position++) = from[n++];
        if (file->size < position)
            file->size = (uint32_t)position;
    }
    return n;
}

/* Reads from where a descriptor is; how many bytes it got. */
static int read_some(int fd, unsigned char *to, uint32_t size, uint32_t *n)
{
    struct descriptor *descriptor = file_of(fd);

    if (fd != 0 && !descriptor)
        return EBADF;
    if (fd == 0) {
        *n = read_stdin(to, size);
    } else {
        *n = read_file_at(descriptor->file, descriptor->position, to, size);
        descriptor->position += *n;
    }
    return 0;
}

static int read_some_at(int fd, uint64_t position, unsigned char *to, uint32_t size, uint32_t *n)
{
    struct descriptor *descriptor = file_of(fd);

    if (!descriptor)
        return fd == 0 ? ESPIPE : EBADF;
    *n = read_file_at(descriptor->file, position, to, size);
    return 0;
}

/* Writes to where a descriptor is; how many bytes there was room for. */
static int write_some(int fd, const unsigned char *from, uint32_t size, uint32_t *n)
{
    struct descriptor *descriptor = file_of(fd);

    if (fd != 1 && fd != 2 && !descriptor)
        return EBADF;
    *n = size;
    if (descriptor) {
        if (descriptor->flags & FLAG_APPEND)
            descriptor->position = __symcrete_files[descriptor->file].size;
        *n = write_file_at(descriptor->file, descriptor->position, from, size);
        descriptor->position += *n;
        if (*n == 0 && size > 0)
            return ENOSPC;
    }
    return 0;
}

static int close_file(int fd)
{
    if (fd >= 0 && fd < ROOT)
        return 0;
    if (!file_of(fd))
        return EBADF;
    descriptors[fd].is_open = 0;
    return 0;
}

static int seek_file(int fd, long long offset, int whence, uint64_t *position)
{
    struct descriptor *descriptor = file_of(fd);
    long long base;

    if (!descriptor)
        return fd >= 0 && fd < ROOT ? ESPIPE : EBADF;
    base = whence == 0 ? 0 : whence == 1 ? (long long)descriptor->position : __symcrete_files[descriptor->file].size;
    if (whence < 0 || whence > 2 || base + offset < 0)
        return EINVAL;
    descriptor->position = (uint64_t)(base + offset);
    *position = descriptor->position;
    return 0;
}

static int resize_file(int fd, uint64_t size)
{
    struct descriptor *descriptor = file_of(fd);
    struct file *file;

    if (!descriptor)
        return EBADF;
    file = &__symcrete_files[descriptor->file];
    if (size > file->capacity)
        return ENOSPC;
    while (file->size < size)
        AT(uint8_t, file->data + file->size++) = 0;
    file->size = (uint32_t)size;
    return 0;
}

static uint32_t skip_root(const char *name, uint32_t length)
{
    uint32_t n = 0;

    for (;;) {
        if (n < length && name[n] == '/')
            n++;
        else if (n + 1 < length && name[n] == '.' && name[n + 1] == '/')
            n += 2;
        else
            return n;
    }
}

static uint32_t length_of(const char *name)
{
    uint32_t n = 0;

    while (name[n])
        n++;
    return n;
}

/* The file of that name, or N_FILES. */
static uint32_t find_file(const char *name, uint32_t length)
{
    uint32_t skipped = skip_root(name, length);

    for (uint32_t i = 0; i < N_FILES; i++) {
        const char *other = __symcrete_files[i].name;
        uint32_t other_length = length_of(other);
        uint32_t start = skip_root(other, other_length);
        uint32_t n = 0;
        if (other_length == 0 || other_length - start != length - skipped)
            continue;
        while (n < length - skipped && name[skipped + n] == other[start + n])
            n++;
        if (n == length - skipped)
            return i;
    }
    return N_FILES;
}

static uint32_t create_file(const char *name, uint32_t length)
{
    uint32_t i = 0;

    while (i < N_FILES && __symcrete_files[i].name[0])
        i++;
    if (i == N_FILES || length >= NAME_MAX_ || __symcrete_file_bytes_used + CREATED_CAPACITY > sizeof __symcrete_file_bytes)
        return N_FILES;
    for (uint32_t n = 0; n < length; n++)
        __symcrete_files[i].name[n] = name[n];
    __symcrete_files[i].name[length] = 0;
    __symcrete_files[i].data = (uint32_t)(uintptr_t)__symcrete_file_bytes + __symcrete_file_bytes_used;
    __symcrete_files[i].size = 0;
    __symcrete_files[i].capacity = CREATED_CAPACITY;
    __symcrete_file_bytes_used += CREATED_CAPACITY;
    return i;
}

static int remove_file(const char *name, uint32_t length)
{
    uint32_t file = find_file(name, length);

    if (file == N_FILES)
        return ENOENT;
    __symcrete_files[file].name[0] = 0;
    return 0;
}

static _Bool is_root(const char *name, uint32_t length)
{
    uint32_t skipped = skip_root(name, length);
    return skipped == length || (skipped + 1 == length && name[skipped] == '.');
}

static int open_file(const char *name, uint32_t length, int how, uint32_t flags, int *opened)
{
    uint32_t file;
    int to = ROOT + 1;

    if (is_root(name, length))
        return EISDIR;
    file = find_file(name, length);
    if (file == N_FILES) {
        if (how & OPEN_DIRECTORY || !(how & OPEN_CREATE))
            return ENOENT;
        file = create_file(name, length);
        if (file == N_FILES)
            return ENOSPC;
    } else if (how & OPEN_CREATE && how & OPEN_EXCLUSIVE) {
        return EEXIST;
    }
    while (to < N_DESCRIPTORS && descriptors[to].is_open)
        to++;
    if (to == N_DESCRIPTORS)
        return EMFILE;
    if (how & OPEN_TRUNCATE)
        __symcrete_files[file].size = 0;
    descriptors[to] = (struct descriptor){1, file, 0, flags};
    *opened = to;
    return 0;
}

static int describe_descriptor(int fd, struct described *to)
{
    struct descriptor *descriptor = file_of(fd);

    if (fd < 0 || (fd > ROOT && !descriptor))
        return EBADF;
    if (descriptor)
        *to = (struct described){REGULAR, 10 + descriptor->file, __symcrete_files[descriptor->file].size};
    else
        *to = (struct described){fd == ROOT ? DIRECTORY : TERMINAL, (uint64_t)fd, 0};
    return 0;
}

static int describe_name(const char *name, uint32_t length, struct described *to)
{
    uint32_t file = find_file(name, length);

    if (file != N_FILES)
        *to = (struct described){REGULAR, 10 + file, __symcrete_files[file].size};
    else if (is_root(name, length))
        *to = (struct described){DIRECTORY, ROOT, 0};
    else
        return ENOENT;
    return 0;
}

/* Nanoseconds on a clock that starts in September 2001 and moves a millisecond each time someone looks. */
static uint64_t look_at_clock(void)
{
    static uint64_t now = 1000000000000000000;

    now += 1000000;
    return now - 1000000;
}

/* Knuth's linear congruential generator of MMIX: The Art of Computer Programming, volume 2, 3.3.4. */
static void draw_random(unsigned char *to, size_t n)
{
    static uint64_t state = 1;

    for (size_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        to[i] = (uint8_t)(state >> 56);
    }
}
