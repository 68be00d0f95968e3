/* Environment variables and files are inputs: whether there is one of a name, what is in it, and of a file that is written
 * whether that fails.
 *
 * The front end calls these in the place of the C library's functions. Whatever they cannot do the library does, which
 * finds no variable and no file: whoever enters it meets the bound of this environment. A program's own definitions win.
 *
 * Included behind files.c, which has the files, and wasi.c or linux.c, which open them. */
#include <fcntl.h>

enum { N_KNOWN = 8 };

char *getenv(const char *name);
int setenv(const char *name, const char *value, int replace);
int unsetenv(const char *name);
int putenv(char *definition);
void *fopen(const char *name, const char *mode);
void *fdopen(int fd, const char *mode);

/* A name that the program has asked for. */
struct known {
    char name[NAME_MAX_];
    _Bool is_asked;
    /* Whether that is a folder, which cannot be written. */
    _Bool is_folder;
    char *value;
};

static struct known variables[N_KNOWN], names[N_KNOWN];
static char values[N_KNOWN][CREATED_CAPACITY + 1];
static uint32_t n_values;
static _Bool is_environment_changed;

/* Larger inputs are not looked at. To enter this is to meet that bound. */
__attribute__((noinline)) void __symcrete_limited(void)
{
    __asm__ volatile("");
    symcrete_assume(0);
}

/* Opens an input. To enter this is to meet the bound of files that can be read without an error. */
__attribute__((noinline)) int __symcrete_opened(const char *name, int flags)
{
    return open_known(name, flags);
}

/* A call of fopen or open that fails. To enter this is to meet the bound of this environment: it may fail otherwise. */
__attribute__((noinline)) int __symcrete_refused(int error)
{
    errno = error;
    return -1;
}

enum names { PLAIN, IN_FOLDERS, ABSOLUTE };

/* Whether a name leads to devices and the like, of which a test cannot have its own. */
static _Bool is_of_system(const char *name)
{
    static const char *const roots[] = {"/dev/", "/proc/", "/sys/"};

    for (uint32_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        uint32_t n = 0;
        while (roots[i][n] && name[n] == roots[i][n])
            n++;
        if (!roots[i][n])
            return 1;
    }
    return 0;
}

static _Bool is_plain(char c)
{
    _Bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* Whether a test can give something this name: letters, digits and the like, for files also in folders. */
static _Bool is_nameable(const char *name, enum names allowed)
{
    uint32_t n = allowed == ABSOLUTE && name[0] == '/', start = n;

    if (n && is_of_system(name))
        return 0;
    for (; name[n]; n++) {
        char c = name[n];
        _Bool is_part = c == '.' ? n > start : is_plain(c);
        _Bool is_end = c == '/' && allowed != PLAIN && n > start;
        if (n + 1 == NAME_MAX_ || !(is_part || is_end))
            return 0;
        if (is_end)
            start = n + 1;
    }
    return n > start;
}

/* Copies a name. It is part of the names of inputs, so each character is what it is in this run. */
static void copy_name(char *to, const char *from)
{
    static volatile char pins[256];

    do {
        pins[(unsigned char)*from] = 0;
        *to++ = *from;
    } while (*from++);
}

/* What is known of a name; null if there are too many. */
static struct known *recall(struct known *all, const char *name)
{
    for (uint32_t i = 0; i < N_KNOWN; i++) {
        uint32_t n = 0;
        if (!all[i].name[0]) {
            copy_name(all[i].name, name);
            return &all[i];
        }
        while (name[n] && name[n] == all[i].name[n])
            n++;
        if (name[n] == all[i].name[n])
            return &all[i];
    }
    return 0;
}

static void append(char *to, uint32_t *length, const char *text)
{
    while (*text)
        to[(*length)++] = *text++;
    to[*length] = 0;
}

/* Draws whether there is something of a name, and if so the bytes of it. */
static _Bool draw_input(const char *before, const char *name, const char *behind, char *to, uint32_t *size)
{
    char label[NAME_MAX_ + 16];
    uint32_t length = 0, end;

    append(label, &length, before);
    append(label, &length, name);
    append(label, &length, behind);
    if (!symcrete_bool(label))
        return 0;
    end = length;
    append(label, &length, ".length");
    *size = symcrete_uint32(label);
    if (*size > __symcrete_input_max || *size > CREATED_CAPACITY)
        __symcrete_limited();
    label[end] = 0;
    for (uint32_t i = 0; i < CREATED_CAPACITY && i < *size; i++)
        to[i] = (char)symcrete_uint8(__symcrete_cell(label, i));
    return 1;
}

__attribute__((weak)) char *__symcrete_getenv(const char *name)
{
    struct known *known;
    uint32_t size = 0;

    if (is_environment_changed || !is_nameable(name, PLAIN) || !(known = recall(variables, name)))
        return getenv(name);
    if (!known->is_asked) {
        char *value = values[n_values];
        known->is_asked = 1;
        if (draw_input("getenv(\"", known->name, "\")", value, &size)) {
            value[size] = 0;
            /* A variable ends at its first zero. */
            for (uint32_t i = 0; i < size; i++)
                symcrete_assume(value[i] != 0);
            known->value = value;
            n_values++;
        }
    }
    return known->value;
}
__attribute__((weak)) int __symcrete_setenv(const char *name, const char *value, int replace)
{
    is_environment_changed = 1;
    return setenv(name, value, replace);
}
__attribute__((weak)) int __symcrete_unsetenv(const char *name)
{
    is_environment_changed = 1;
    return unsetenv(name);
}
__attribute__((weak)) int __symcrete_putenv(char *definition)
{
    is_environment_changed = 1;
    return putenv(definition);
}

/* Whether it is known if there is a file of that name. */
static _Bool is_prepared(const char *name, enum names allowed)
{
    struct known *known;
    uint32_t size = 0, file;

    if (!is_nameable(name, allowed))
        return 0;
    if (find_file(name, length_of(name)) != N_FILES)
        return 1;
    known = recall(names, name);
    if (!known || known->is_asked) {
        /* What reading a folder does is not modelled. */
        symcrete_assume(!known || !known->is_folder);
        return known != 0;
    }
    known->is_asked = 1;
    file = create_file(known->name, length_of(known->name));
    if (file == N_FILES)
        return 0;
    if (draw_input("file \"", known->name, "\"", &AT(char, __symcrete_files[file].data), &size))
        __symcrete_files[file].size = size;
    else
        __symcrete_files[file].name[0] = 0;
    return 1;
}

static _Bool is_there(const char *name) { return find_file(name, length_of(name)) != N_FILES; }

/* Whether a file cannot be written because there is a folder of its name. */
static _Bool is_folder(const char *name)
{
    char label[NAME_MAX_ + 16];
    struct known *known;
    uint32_t length = 0;

    if (!is_nameable(name, ABSOLUTE) || is_there(name) || !(known = recall(names, name)))
        return 0;
    if (!known->is_asked) {
        known->is_asked = 1;
        append(label, &length, "folder \"");
        append(label, &length, known->name);
        append(label, &length, "\"");
        known->is_folder = symcrete_bool(label);
    }
    return known->is_folder;
}

/* Ends a run that makes a file of a name that no test should have: it is of any bytes, or outside of the test's folder. */
static void refuse_made_up(const char *name, enum names allowed)
{
    static const char nothing[] = "/dev/null";
    uint32_t n = 0;

    while (nothing[n] && name[n] == nothing[n])
        n++;
    if ((!nothing[n] && !name[n]) || is_nameable(name, allowed) || is_root(name, length_of(name)))
        return;
    if (name[0] == '/')
        __symcrete_unsupported();
    for (n = 0; name[n]; n++)
        if (!is_plain(name[n]) && (!name[n + 1] || (name[n] != '.' && name[n] != '/')))
            __symcrete_unsupported();
}

/* Opens a file that may be read, if it is there. */
static int open_prepared(const char *name, int flags)
{
    return is_there(name) ? __symcrete_opened(name, flags) : __symcrete_refused(ENOENT);
}

__attribute__((weak)) void *__symcrete_fopen(const char *name, const char *mode)
{
    int fd;

    if (mode[0] != 'r' && is_folder(name)) {
        __symcrete_refused(EISDIR);
        return 0;
    }
    if (mode[0] != 'r')
        refuse_made_up(name, ABSOLUTE);
    if (mode[0] != 'r' || !is_prepared(name, ABSOLUTE))
        return fopen(name, mode);
    fd = open_prepared(name, mode[1] == '+' || (mode[1] && mode[2] == '+') ? O_RDWR : O_RDONLY);
    return fd < 0 ? 0 : fdopen(fd, mode);
}
__attribute__((weak)) int __symcrete_open(const char *name, int flags, ...)
{
    if (flags & O_CREAT)
        refuse_made_up(name, IN_FOLDERS);
    if (flags != O_RDONLY || !is_prepared(name, IN_FOLDERS))
        return open(name, flags, 0666);
    return open_prepared(name, flags);
}

/* Runs what was registered with `atexit`, if anything was. */
__attribute__((weak)) void __funcs_on_exit(void);
void __symcrete_main_returns(void)
{
    if (__funcs_on_exit)
        __funcs_on_exit();
}
