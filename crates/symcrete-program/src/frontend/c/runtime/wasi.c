/* WASI in C, so that symbolic bytes flow through it: what wasi-libc would import is defined here.
 *
 * Output is discarded, stdin is an input of the program, files are in memory, time and random numbers are
 * the same in every run. Everything else says that it is not supported. */
#include "symcrete.h"

SYMCRETE_HOST(exit) void symcrete_exit(int status) __attribute__((noreturn));
const char *__symcrete_cell(const char *name, unsigned index);
void __symcrete_limited(void);

enum { SUCCESS = 0, BADF = 8, INVAL = 28, ISDIR = 31, MFILE = 33, NOENT = 44, NOSPC = 51, NOSYS = 52, SPIPE = 70 };
enum { KIND_CHARACTER = 2, KIND_DIRECTORY = 3, KIND_FILE = 4 };
enum { OPEN_CREATE = 1, OPEN_DIRECTORY = 2, OPEN_EXCLUSIVE = 4, OPEN_TRUNCATE = 8, FLAG_APPEND = 1 };
enum { ROOT = 3, N_DESCRIPTORS = 32, N_FILES = 16, NAME_MAX_ = 64, CREATED_CAPACITY = 4096 };

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
EXPORTED uint32_t __symcrete_stdin_max = 64;

struct vector {
    uint32_t data;
    uint32_t size;
};

struct descriptor {
    uint32_t is_open;
    uint32_t file;
    uint64_t position;
    uint32_t flags;
};

static struct descriptor descriptors[N_DESCRIPTORS];
static uint32_t stdin_length, stdin_position;
static _Bool stdin_is_drawn;

#define WASI(name) __imported_wasi_snapshot_preview1_##name
#define AT(type, address) (*(type *)(uintptr_t)(address))

static struct descriptor *wasi_file_of(int fd)
{
    if (fd <= ROOT || fd >= N_DESCRIPTORS || !descriptors[fd].is_open)
        return 0;
    return &descriptors[fd];
}

/* Bytes are asked for when they are read: the inputs of a run are those that mattered. */
static uint32_t wasi_read_stdin(unsigned char *to, uint32_t size)
{
    uint32_t n = 0;

    if (!stdin_is_drawn) {
        stdin_is_drawn = 1;
        stdin_length = symcrete_uint32("stdin.length");
        if (stdin_length > __symcrete_stdin_max)
            __symcrete_limited();
    }
    while (n < size && stdin_position < __symcrete_stdin_max && stdin_position < stdin_length)
        to[n++] = symcrete_uint8(__symcrete_cell("stdin", stdin_position++));
    return n;
}

static uint32_t wasi_read_file(struct file *file, uint64_t position, unsigned char *to, uint32_t size)
{
    uint32_t n = 0;

    while (n < size && position < file->size)
        to[n++] = AT(unsigned char, file->data + (uint32_t)position++);
    return n;
}

static uint32_t wasi_write_file(struct file *file, uint64_t position, const unsigned char *from, uint32_t size)
{
    uint32_t n = 0;

    while (n < size && position < file->capacity) {
        AT(unsigned char, file->data + (uint32_t)position++) = from[n++];
        if (file->size < position)
            file->size = (uint32_t)position;
    }
    return n;
}

int WASI(fd_read)(int fd, int vectors, int n_vectors, int n_read)
{
    struct descriptor *descriptor = wasi_file_of(fd);
    uint32_t n = 0;

    if (fd != 0 && !descriptor)
        return BADF;
    for (int i = 0; i < n_vectors; i++) {
        struct vector *vector = &AT(struct vector, vectors + 8 * i);
        unsigned char *to = &AT(unsigned char, vector->data);
        uint32_t n_here;
        if (fd == 0) {
            n_here = wasi_read_stdin(to, vector->size);
        } else {
            n_here = wasi_read_file(&__symcrete_files[descriptor->file], descriptor->position, to, vector->size);
            descriptor->position += n_here;
        }
        n += n_here;
        if (n_here < vector->size)
            break;
    }
    AT(uint32_t, n_read) = n;
    return SUCCESS;
}

int WASI(fd_pread)(int fd, int vectors, int n_vectors, long long offset, int n_read)
{
    struct descriptor *descriptor = wasi_file_of(fd);
    uint32_t n = 0;

    if (!descriptor)
        return fd == 0 ? SPIPE : BADF;
    for (int i = 0; i < n_vectors; i++) {
        struct vector *vector = &AT(struct vector, vectors + 8 * i);
        n += wasi_read_file(&__symcrete_files[descriptor->file], (uint64_t)offset + n, &AT(unsigned char, vector->data), vector->size);
    }
    AT(uint32_t, n_read) = n;
    return SUCCESS;
}

int WASI(fd_write)(int fd, int vectors, int n_vectors, int n_written)
{
    struct descriptor *descriptor = wasi_file_of(fd);
    uint32_t n = 0;

    if (fd != 1 && fd != 2 && !descriptor)
        return BADF;
    if (descriptor && descriptor->flags & FLAG_APPEND)
        descriptor->position = __symcrete_files[descriptor->file].size;
    for (int i = 0; i < n_vectors; i++) {
        struct vector *vector = &AT(struct vector, vectors + 8 * i);
        uint32_t n_here = vector->size;
        if (descriptor) {
            n_here = wasi_write_file(&__symcrete_files[descriptor->file], descriptor->position, &AT(unsigned char, vector->data), vector->size);
            descriptor->position += n_here;
            if (n_here < vector->size && n + n_here == 0)
                return NOSPC;
        }
        n += n_here;
    }
    AT(uint32_t, n_written) = n;
    return SUCCESS;
}

int WASI(fd_close)(int fd)
{
    if (fd >= 0 && fd < ROOT)
        return SUCCESS;
    if (!wasi_file_of(fd))
        return BADF;
    descriptors[fd].is_open = 0;
    return SUCCESS;
}

int WASI(fd_seek)(int fd, long long offset, int whence, int to)
{
    struct descriptor *descriptor = wasi_file_of(fd);
    long long base;

    if (!descriptor)
        return fd >= 0 && fd < ROOT ? SPIPE : BADF;
    base = whence == 0 ? 0 : whence == 1 ? (long long)descriptor->position : __symcrete_files[descriptor->file].size;
    if (whence < 0 || whence > 2 || base + offset < 0)
        return INVAL;
    descriptor->position = (uint64_t)(base + offset);
    AT(uint64_t, to) = descriptor->position;
    return SUCCESS;
}

int WASI(fd_tell)(int fd, int to) { return WASI(fd_seek)(fd, 0, 1, to); }

int WASI(fd_fdstat_get)(int fd, int to)
{
    struct descriptor *descriptor = wasi_file_of(fd);

    if (fd < 0 || (fd > ROOT && !descriptor))
        return BADF;
    AT(uint8_t, to) = fd < ROOT ? KIND_CHARACTER : fd == ROOT ? KIND_DIRECTORY : KIND_FILE;
    AT(uint16_t, to + 2) = descriptor ? (uint16_t)descriptor->flags : 0;
    /* A terminal may neither seek nor tell: that is how wasi-libc's isatty knows. */
    AT(uint64_t, to + 8) = fd < ROOT ? ~(uint64_t)0x24 : ~(uint64_t)0;
    AT(uint64_t, to + 16) = ~(uint64_t)0;
    return SUCCESS;
}

int WASI(fd_fdstat_set_flags)(int fd, int flags)
{
    struct descriptor *descriptor = wasi_file_of(fd);

    if (!descriptor)
        return BADF;
    descriptor->flags = (uint32_t)flags;
    return SUCCESS;
}

static void wasi_describe(int to, uint64_t inode, uint8_t kind, uint64_t size)
{
    for (int i = 0; i < 8; i++)
        AT(uint64_t, to + 8 * i) = 0;
    AT(uint64_t, to + 8) = inode;
    AT(uint8_t, to + 16) = kind;
    AT(uint64_t, to + 24) = 1;
    AT(uint64_t, to + 32) = size;
}

int WASI(fd_filestat_get)(int fd, int to)
{
    struct descriptor *descriptor = wasi_file_of(fd);

    if (fd < 0 || (fd > ROOT && !descriptor))
        return BADF;
    if (descriptor)
        wasi_describe(to, 10 + descriptor->file, KIND_FILE, __symcrete_files[descriptor->file].size);
    else
        wasi_describe(to, (uint64_t)fd, fd == ROOT ? KIND_DIRECTORY : KIND_CHARACTER, 0);
    return SUCCESS;
}

int WASI(fd_filestat_set_size)(int fd, long long size)
{
    struct descriptor *descriptor = wasi_file_of(fd);
    struct file *file;

    if (!descriptor)
        return BADF;
    file = &__symcrete_files[descriptor->file];
    if ((uint64_t)size > file->capacity)
        return NOSPC;
    while (file->size < (uint64_t)size)
        AT(uint8_t, file->data + file->size++) = 0;
    file->size = (uint32_t)size;
    return SUCCESS;
}

int WASI(fd_prestat_get)(int fd, int to)
{
    if (fd != ROOT)
        return BADF;
    AT(uint8_t, to) = 0;
    AT(uint32_t, to + 4) = 1;
    return SUCCESS;
}

int WASI(fd_prestat_dir_name)(int fd, int to, int length)
{
    if (fd != ROOT || length < 1)
        return BADF;
    AT(char, to) = '/';
    return SUCCESS;
}

static uint32_t wasi_skip_root(const char *name, uint32_t length)
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

static uint32_t wasi_length_of(const char *name)
{
    uint32_t n = 0;

    while (n < NAME_MAX_ && name[n])
        n++;
    return n;
}

/* The file of that name, or N_FILES. */
static uint32_t wasi_find(const char *name, uint32_t length)
{
    uint32_t skipped = wasi_skip_root(name, length);

    for (uint32_t i = 0; i < N_FILES; i++) {
        const char *other = __symcrete_files[i].name;
        uint32_t other_length = wasi_length_of(other);
        uint32_t start = wasi_skip_root(other, other_length);
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

static uint32_t wasi_create(const char *name, uint32_t length)
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

static _Bool wasi_is_root(const char *name, uint32_t length)
{
    uint32_t skipped = wasi_skip_root(name, length);
    return skipped == length || (skipped + 1 == length && name[skipped] == '.');
}

int WASI(path_open)(int fd, int lookup, int path, int length, int open, long long base, long long inheriting, int flags, int opened)
{
    const char *name = &AT(const char, path);
    uint32_t file;
    int to = ROOT + 1;

    (void)lookup, (void)base, (void)inheriting;
    if (fd != ROOT)
        return BADF;
    if (wasi_is_root(name, (uint32_t)length))
        return ISDIR;
    file = wasi_find(name, (uint32_t)length);
    if (file == N_FILES) {
        if (open & OPEN_DIRECTORY || !(open & OPEN_CREATE))
            return NOENT;
        file = wasi_create(name, (uint32_t)length);
        if (file == N_FILES)
            return NOSPC;
    }
    while (to < N_DESCRIPTORS && descriptors[to].is_open)
        to++;
    if (to == N_DESCRIPTORS)
        return MFILE;
    if (open & OPEN_TRUNCATE)
        __symcrete_files[file].size = 0;
    descriptors[to] = (struct descriptor){1, file, 0, (uint32_t)flags};
    AT(int, opened) = to;
    return SUCCESS;
}

int WASI(path_filestat_get)(int fd, int lookup, int path, int length, int to)
{
    const char *name = &AT(const char, path);
    uint32_t file;

    (void)lookup;
    if (fd != ROOT)
        return BADF;
    file = wasi_find(name, (uint32_t)length);
    if (file != N_FILES)
        wasi_describe(to, 10 + file, KIND_FILE, __symcrete_files[file].size);
    else if (wasi_is_root(name, (uint32_t)length))
        wasi_describe(to, ROOT, KIND_DIRECTORY, 0);
    else
        return NOENT;
    return SUCCESS;
}

int WASI(path_unlink_file)(int fd, int path, int length)
{
    uint32_t file = wasi_find(&AT(const char, path), (uint32_t)length);

    if (fd != ROOT)
        return BADF;
    if (file == N_FILES)
        return NOENT;
    __symcrete_files[file].name[0] = 0;
    return SUCCESS;
}

/* Arguments of main are given by whoever calls it; there is no environment. */
static int wasi_empty(int count, int size)
{
    AT(uint32_t, count) = 0;
    AT(uint32_t, size) = 0;
    return SUCCESS;
}
int WASI(args_sizes_get)(int count, int size) { return wasi_empty(count, size); }
int WASI(environ_sizes_get)(int count, int size) { return wasi_empty(count, size); }
int WASI(args_get)(int list, int bytes) { (void)list, (void)bytes; return SUCCESS; }
int WASI(environ_get)(int list, int bytes) { (void)list, (void)bytes; return SUCCESS; }

/* A clock that starts in September 2001 and moves a millisecond each time someone looks. */
int WASI(clock_time_get)(int clock, long long precision, int to)
{
    static uint64_t now = 1000000000000000000;

    (void)clock, (void)precision;
    AT(uint64_t, to) = now;
    now += 1000000;
    return SUCCESS;
}
int WASI(clock_res_get)(int clock, int to)
{
    (void)clock;
    AT(uint64_t, to) = 1000000;
    return SUCCESS;
}

/* Knuth's linear congruential generator of MMIX: The Art of Computer Programming, volume 2, 3.3.4. */
int WASI(random_get)(int to, int length)
{
    static uint64_t state = 1;

    for (int i = 0; i < length; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        AT(uint8_t, to + i) = (uint8_t)(state >> 56);
    }
    return SUCCESS;
}

void WASI(proc_exit)(int status) { symcrete_exit(status); }

/* Sleeping takes no time: the one event that was waited for has come. */
int WASI(poll_oneoff)(int subscriptions, int events, int n, int n_events)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++)
            AT(uint64_t, events + 32 * i + 8 * k) = 0;
        AT(uint64_t, events + 32 * i) = AT(uint64_t, subscriptions + 48 * i);
        AT(uint8_t, events + 32 * i + 10) = AT(uint8_t, subscriptions + 48 * i + 8);
    }
    AT(uint32_t, n_events) = (uint32_t)n;
    return SUCCESS;
}
int WASI(sched_yield)(void) { return SUCCESS; }
int WASI(fd_sync)(int fd) { (void)fd; return SUCCESS; }
int WASI(fd_datasync)(int fd) { (void)fd; return SUCCESS; }
int WASI(fd_advise)(int fd, long long offset, long long length, int advice)
{
    (void)fd, (void)offset, (void)length, (void)advice;
    return SUCCESS;
}

/* The rest is not there. */
#define I int
#define L long long
#define MISSING(name, ...) int WASI(name)(__VA_ARGS__) { return NOSYS; }
MISSING(fd_allocate, I a, L b, L c)
MISSING(fd_fdstat_set_rights, I a, L b, L c)
MISSING(fd_filestat_set_times, I a, L b, L c, I d)
MISSING(fd_pwrite, I a, I b, I c, L d, I e)
MISSING(fd_readdir, I a, I b, I c, L d, I e)
MISSING(fd_renumber, I a, I b)
MISSING(path_create_directory, I a, I b, I c)
MISSING(path_filestat_set_times, I a, I b, I c, I d, L e, L f, I g)
MISSING(path_link, I a, I b, I c, I d, I e, I f, I g)
MISSING(path_readlink, I a, I b, I c, I d, I e, I f)
MISSING(path_remove_directory, I a, I b, I c)
MISSING(path_rename, I a, I b, I c, I d, I e, I f)
MISSING(path_symlink, I a, I b, I c, I d, I e)
MISSING(sock_accept, I a, I b, I c)
MISSING(sock_recv, I a, I b, I c, I d, I e, I f)
MISSING(sock_send, I a, I b, I c, I d, I e)
MISSING(sock_shutdown, I a, I b)

#undef I
#undef L
