/* Linux on top of files.c and heap.c: the system calls of musl, with the numbers and structures of x86-64.
 *
 * Calls that nothing here stands for fail as they do on a system without them: whoever makes one meets the bound of this
 * environment. */
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>

enum { FAILED_WITH_ABORT = 0, N_SIGNALS = 65, PROCESS = 42 };

void __wasm_call_ctors(void);
void __symcrete_start(void);

/* Called before anything else. */
__attribute__((export_name("_initialize"))) void _initialize(void)
{
    __symcrete_start();
    __wasm_call_ctors();
}

/* To enter this is to meet the bound of a system that cannot do what was asked for. */
__attribute__((noinline)) long __symcrete_unmodelled(void)
{
    __asm__ volatile("");
    return -ENOSYS;
}

/* Sizes above 4 GiB are those of no memory. */
static uint32_t clamped(unsigned long size) { return size > UINT32_MAX ? UINT32_MAX : (uint32_t)size; }

static long read_vectors(int fd, const struct iovec *vectors, long n_vectors)
{
    long n = 0;
    uint32_t n_here = 0;

    for (long i = 0; i < n_vectors; i++) {
        int error = read_some(fd, vectors[i].iov_base, clamped(vectors[i].iov_len), &n_here);
        if (error)
            return -error;
        n += n_here;
        if (n_here < vectors[i].iov_len)
            break;
    }
    return n;
}

static long write_vectors(int fd, const struct iovec *vectors, long n_vectors)
{
    long n = 0;
    uint32_t n_here = 0;

    for (long i = 0; i < n_vectors; i++) {
        int error = write_some(fd, vectors[i].iov_base, clamped(vectors[i].iov_len), &n_here);
        if (error && n == 0)
            return -error;
        n += n_here;
    }
    return n;
}

static long read_at(int fd, unsigned char *to, unsigned long size, long position)
{
    uint32_t n = 0;
    int error = position < 0 ? EINVAL : read_some_at(fd, (uint64_t)position, to, clamped(size), &n);

    return error ? -error : (long)n;
}

static long seek_to(int fd, long offset, int whence)
{
    uint64_t position = 0;
    int error = seek_file(fd, offset, whence, &position);

    return error ? -error : (long)position;
}

static long open_path(const char *name, int flags)
{
    int how = 0, opened = 0, error;

    if (flags & O_CREAT)
        how |= OPEN_CREATE;
    if (flags & O_EXCL)
        how |= OPEN_EXCLUSIVE;
    if (flags & O_TRUNC)
        how |= OPEN_TRUNCATE;
    if (flags & O_DIRECTORY)
        how |= OPEN_DIRECTORY;
    error = open_file(name, length_of(name), how, flags & O_APPEND ? FLAG_APPEND : 0, &opened);
    return error ? -error : opened;
}

/* Opens a file that is known to be there, or not to be. */
static int open_known(const char *name, int flags)
{
    long opened = open_path(name, flags);

    if (opened < 0) {
        errno = (int)-opened;
        return -1;
    }
    return (int)opened;
}

static long describe(int error, const struct described *described, struct stat *to)
{
    if (error)
        return -error;
    *to = (struct stat){
        .st_ino = described->inode,
        .st_nlink = 1,
        .st_mode = described->kind == TERMINAL ? S_IFCHR | 0620 : described->kind == DIRECTORY ? S_IFDIR | 0755 : S_IFREG | 0644,
        .st_size = (off_t)described->size,
        .st_blksize = 4096,
    };
    return 0;
}

static long describe_path(const char *name, struct stat *to)
{
    struct described described = { 0 };
    return describe(describe_name(name, length_of(name), &described), &described, to);
}

static long describe_open(int fd, struct stat *to)
{
    struct described described = { 0 };
    return describe(describe_descriptor(fd, &described), &described, to);
}

static long control(int fd, int command, long argument)
{
    struct descriptor *descriptor = file_of(fd);

    if (fd < 0 || (fd > ROOT && !descriptor))
        return -EBADF;
    switch (command) {
    case F_GETFD:
    case F_SETFD:
        return 0;
    case F_GETFL:
        return O_RDWR | (descriptor && descriptor->flags & FLAG_APPEND ? O_APPEND : 0);
    case F_SETFL:
        if (descriptor)
            descriptor->flags = argument & O_APPEND ? FLAG_APPEND : 0;
        return 0;
    default:
        return __symcrete_unmodelled();
    }
}

static long tell_time(struct timespec *to)
{
    uint64_t now = look_at_clock();

    to->tv_sec = (time_t)(now / 1000000000);
    to->tv_nsec = (long)(now % 1000000000);
    return 0;
}

/* What a program has said it wants to do about signals, which only it can send itself. */
static struct {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
} actions[N_SIGNALS];

static long set_action(unsigned long number, const void *wanted, void *earlier)
{
    if (number == 0 || number >= N_SIGNALS)
        return -EINVAL;
    if (earlier)
        __builtin_memcpy(earlier, &actions[number], sizeof actions[number]);
    if (wanted)
        __builtin_memcpy(&actions[number], wanted, sizeof actions[number]);
    return 0;
}

static long send_signal(unsigned long number)
{
    if (number >= N_SIGNALS)
        return -EINVAL;
    if (actions[number].handler == SIG_DFL) {
        if (number != 0 && number != SIGCHLD && number != SIGCONT && number != SIGURG && number != SIGWINCH)
            symcrete_fail(FAILED_WITH_ABORT);
    } else if (actions[number].handler != SIG_IGN) {
        actions[number].handler((int)number);
    }
    return 0;
}

/* A system that says what most say; who asks meets the bound of this process. */
static long name_system(struct utsname *to)
{
    *to = (struct utsname){ "Linux", "localhost", "6.1.0", "#1", "x86_64", "(none)" };
    return 0;
}

static long tell_limit(struct rlimit *earlier)
{
    if (earlier)
        *earlier = (struct rlimit){ RLIM_INFINITY, RLIM_INFINITY };
    return 0;
}

/* What new files may not permit: at first what most systems have; who asks meets the bound of this process. */
__attribute__((weak)) mode_t umask(mode_t mask)
{
    static mode_t current = 022;
    mode_t earlier = current;

    current = mask & 0777;
    return earlier;
}

static long map_memory(unsigned long size, int flags)
{
    void *start;

    if (!(flags & MAP_ANONYMOUS))
        return __symcrete_unmodelled();
    start = aligned_alloc(4096, size);
    if (!start)
        return -ENOMEM;
    for (unsigned long i = 0; i < size; i++)
        ((char *)start)[i] = 0;
    return (long)start;
}

static long work_with_files(long number, long a, long b, long c, long d)
{
    const struct iovec one = { (void *)b, (unsigned long)c };

    switch (number) {
    case SYS_read: return read_vectors((int)a, &one, 1);
    case SYS_readv: return read_vectors((int)a, (const struct iovec *)b, c);
    case SYS_pread64: return read_at((int)a, (unsigned char *)b, (unsigned long)c, d);
    case SYS_write: return write_vectors((int)a, &one, 1);
    case SYS_writev: return write_vectors((int)a, (const struct iovec *)b, c);
    case SYS_open: return open_path((const char *)a, (int)b);
    case SYS_openat: return open_path((const char *)b, (int)c);
    case SYS_close: return -close_file((int)a);
    case SYS_lseek: return seek_to((int)a, b, (int)c);
    case SYS_ftruncate: return -resize_file((int)a, (uint64_t)b);
    case SYS_unlink: return -remove_file((const char *)a, length_of((const char *)a));
    case SYS_unlinkat: return -remove_file((const char *)b, length_of((const char *)b));
    case SYS_stat:
    case SYS_lstat: return describe_path((const char *)a, (struct stat *)b);
    case SYS_fstat: return describe_open((int)a, (struct stat *)b);
    case SYS_newfstatat: return describe_path((const char *)b, (struct stat *)c);
    case SYS_access: return describe_path((const char *)a, &(struct stat){ 0 });
    case SYS_faccessat: return describe_path((const char *)b, &(struct stat){ 0 });
    case SYS_fcntl: return control((int)a, (int)b, c);
    /* A terminal knows its size: that is how musl's isatty knows one. */
    case SYS_ioctl: return a >= 0 && a < ROOT && b == TIOCGWINSZ ? 0 : -ENOTTY;
    case SYS_fsync:
    case SYS_fdatasync: return 0;
    default: return __symcrete_unmodelled();
    }
}

long __symcrete_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    (void)e, (void)f;
    switch (number) {
    case SYS_exit:
    case SYS_exit_group: symcrete_exit((int)a);
    case SYS_clock_gettime: return tell_time((struct timespec *)b);
    case SYS_clock_getres:
        if (b)
            *(struct timespec *)b = (struct timespec){ 0, 1000000 };
        return 0;
    case SYS_getrandom: draw_random((unsigned char *)a, (size_t)b); return b;
    /* Sleeping takes no time. */
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_sched_yield:
    /* There is one thread, which waits for nobody. */
    case SYS_futex:
    case SYS_rt_sigprocmask: return 0;
    case SYS_rt_sigaction: return set_action((unsigned long)a, (const void *)b, (void *)c);
    case SYS_tkill: return send_signal((unsigned long)b);
    case SYS_getpid:
    case SYS_gettid: return PROCESS;
    case SYS_getcwd:
        if (b < 2)
            return -ERANGE;
        __builtin_memcpy((char *)a, "/", 2);
        return 2;
    case SYS_uname: return name_system((struct utsname *)a);
    case SYS_prlimit64: return tell_limit((struct rlimit *)d);
    case SYS_mmap: return map_memory((unsigned long)b, (int)d);
    case SYS_munmap:
    case SYS_mprotect:
    case SYS_madvise: return 0;
    default: return work_with_files(number, a, b, c, d);
    }
}

/* A variable of that name, for programs that declare it themselves. */
#undef errno
int errno;
int *__errno_location(void) { return &errno; }
int *___errno_location(void) { return &errno; }

/* What sources call that declare these with lengths of 32 bits: the other bits are zero, as in a register that was written so. */
void __symcrete_widened(void);
void __symcrete_apart(const char *to, const char *from, size_t n);

void *__symcrete_narrow_memcpy(void *to, const void *from, uint32_t n)
{
    __symcrete_widened();
    __symcrete_apart(to, from, n);
    return __builtin_memcpy(to, from, n);
}
void *__symcrete_narrow_memmove(void *to, const void *from, uint32_t n)
{
    __symcrete_widened();
    return __builtin_memmove(to, from, n);
}
void *__symcrete_narrow_memset(void *to, int byte, uint32_t n)
{
    __symcrete_widened();
    return __builtin_memset(to, byte, n);
}
