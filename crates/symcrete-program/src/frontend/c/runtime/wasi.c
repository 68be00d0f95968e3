/* WASI on top of files.c: what wasi-libc would import is defined here. What is not there says that it is not supported. */
enum { KIND_CHARACTER = 2, KIND_DIRECTORY = 3, KIND_FILE = 4 };

struct vector {
    uint32_t data;
    uint32_t size;
};

#define WASI(name) __imported_wasi_snapshot_preview1_##name

int WASI(fd_read)(int fd, int vectors, int n_vectors, int n_read)
{
    uint32_t n = 0, n_here = 0;

    for (int i = 0; i < n_vectors; i++) {
        struct vector *vector = &AT(struct vector, vectors + 8 * i);
        int error = read_some(fd, &AT(unsigned char, vector->data), vector->size, &n_here);
        if (error)
            return error;
        n += n_here;
        if (n_here < vector->size)
            break;
    }
    AT(uint32_t, n_read) = n;
    return 0;
}

int WASI(fd_pread)(int fd, int vectors, int n_vectors, long long offset, int n_read)
{
    uint32_t n = 0, n_here = 0;

    for (int i = 0; i < n_vectors; i++) {
        struct vector *vector = &AT(struct vector, vectors + 8 * i);
        int error = read_some_at(fd, (uint64_t)offset + n, &AT(unsigned char, vector->data), vector->size, &n_here);
        if (error)
            return error;
        n += n_here;
    }
    AT(uint32_t, n_read) = n;
    return 0;
}

int WASI(fd_write)(int fd, int vectors, int n_vectors, int n_written)
{
    uint32_t n = 0, n_here = 0;

    for (int i = 0; i < n_vectors; i++) {
        struct vector *vector = &AT(struct vector, vectors + 8 * i);
        int error = write_some(fd, &AT(unsigned char, vector->data), vector->size, &n_here);
        if (error && n == 0)
            return error;
        n += n_here;
    }
    AT(uint32_t, n_written) = n;
    return 0;
}

int WASI(fd_close)(int fd) { return close_file(fd); }

int WASI(fd_seek)(int fd, long long offset, int whence, int to)
{
    return seek_file(fd, offset, whence, &AT(uint64_t, to));
}
int WASI(fd_tell)(int fd, int to) { return WASI(fd_seek)(fd, 0, 1, to); }

static uint8_t kind_of(enum kind kind)
{
    return kind == TERMINAL ? KIND_CHARACTER : kind == DIRECTORY ? KIND_DIRECTORY : KIND_FILE;
}

int WASI(fd_fdstat_get)(int fd, int to)
{
    struct descriptor *descriptor = file_of(fd);
    struct described described;
    int error = describe_descriptor(fd, &described);

    if (error)
        return error;
    AT(uint8_t, to) = kind_of(described.kind);
    AT(uint16_t, to + 2) = descriptor ? (uint16_t)descriptor->flags : 0;
    /* A terminal may neither seek nor tell: that is how wasi-libc's isatty knows. */
    AT(uint64_t, to + 8) = described.kind == TERMINAL ? ~(uint64_t)0x24 : ~(uint64_t)0;
    AT(uint64_t, to + 16) = ~(uint64_t)0;
    return 0;
}

int WASI(fd_fdstat_set_flags)(int fd, int flags)
{
    struct descriptor *descriptor = file_of(fd);

    if (!descriptor)
        return EBADF;
    descriptor->flags = (uint32_t)flags;
    return 0;
}

static void put_description(int to, const struct described *described)
{
    for (int i = 0; i < 8; i++)
        AT(uint64_t, to + 8 * i) = 0;
    AT(uint64_t, to + 8) = described->inode;
    AT(uint8_t, to + 16) = kind_of(described->kind);
    AT(uint64_t, to + 24) = 1;
    AT(uint64_t, to + 32) = described->size;
}

int WASI(fd_filestat_get)(int fd, int to)
{
    struct described described;
    int error = describe_descriptor(fd, &described);

    if (!error)
        put_description(to, &described);
    return error;
}

int WASI(fd_filestat_set_size)(int fd, long long size) { return resize_file(fd, (uint64_t)size); }

int WASI(fd_prestat_get)(int fd, int to)
{
    if (fd != ROOT)
        return EBADF;
    AT(uint8_t, to) = 0;
    AT(uint32_t, to + 4) = 1;
    return 0;
}

int WASI(fd_prestat_dir_name)(int fd, int to, int length)
{
    if (fd != ROOT || length < 1)
        return EBADF;
    AT(char, to) = '/';
    return 0;
}

int WASI(path_open)(int fd, int lookup, int path, int length, int open, long long base, long long inheriting, int flags, int opened)
{
    (void)lookup, (void)base, (void)inheriting;
    if (fd != ROOT)
        return EBADF;
    return open_file(&AT(const char, path), (uint32_t)length, open, (uint32_t)flags, &AT(int, opened));
}

int WASI(path_filestat_get)(int fd, int lookup, int path, int length, int to)
{
    struct described described;
    int error;

    (void)lookup;
    if (fd != ROOT)
        return EBADF;
    error = describe_name(&AT(const char, path), (uint32_t)length, &described);
    if (!error)
        put_description(to, &described);
    return error;
}

int WASI(path_unlink_file)(int fd, int path, int length)
{
    return fd == ROOT ? remove_file(&AT(const char, path), (uint32_t)length) : EBADF;
}

/* Arguments of main are given by whoever calls it; there is no environment. */
static int say_none(int count, int size)
{
    AT(uint32_t, count) = 0;
    AT(uint32_t, size) = 0;
    return 0;
}
int WASI(args_sizes_get)(int count, int size) { return say_none(count, size); }
int WASI(environ_sizes_get)(int count, int size) { return say_none(count, size); }
int WASI(args_get)(int list, int bytes) { (void)list, (void)bytes; return 0; }
int WASI(environ_get)(int list, int bytes) { (void)list, (void)bytes; return 0; }

int WASI(clock_time_get)(int clock, long long precision, int to)
{
    (void)clock, (void)precision;
    AT(uint64_t, to) = look_at_clock();
    return 0;
}
int WASI(clock_res_get)(int clock, int to)
{
    (void)clock;
    AT(uint64_t, to) = 1000000;
    return 0;
}

int WASI(random_get)(int to, int length)
{
    draw_random(&AT(unsigned char, to), (size_t)length);
    return 0;
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
    return 0;
}
int WASI(sched_yield)(void) { return 0; }
int WASI(fd_sync)(int fd) { (void)fd; return 0; }
int WASI(fd_datasync)(int fd) { (void)fd; return 0; }
int WASI(fd_advise)(int fd, long long offset, long long length, int advice)
{
    (void)fd, (void)offset, (void)length, (void)advice;
    return 0;
}

/* The rest is not there. */
#define I int
#define L long long
#define MISSING(name, ...) int WASI(name)(__VA_ARGS__) { return ENOSYS; }
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

/* Opens a file that is known to be there, or not to be. */
int __wasilibc_open_nomode(const char *name, int flags);
static int open_known(const char *name, int flags) { return __wasilibc_open_nomode(name, flags); }
