/* Environment variables and files that a program only reads are inputs: whether there is one of a name, and what is in it.
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

/* Whether a test can give something this name: letters, digits and the like. */
static _Bool is_plain(const char *name)
{
    uint32_t n = 0;

    for (; name[n]; n++) {
        char c = name[n];
        _Bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        _Bool is_other = (c >= '0' && c <= '9') || c == '_' || c == '-' || (c == '.' && n > 0);
        if (n + 1 == NAME_MAX_ || !(is_letter || is_other))
            return 0;
    }
    return n > 0;
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

    if (is_environment_changed || !is_plain(name) || !(known = recall(variables, name)))
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
static _Bool is_prepared(const char *name)
{
    struct known *known;
    uint32_t size = 0, file;

    if (!is_plain(name))
        return 0;
    if (find_file(name, length_of(name)) != N_FILES)
        return 1;
    known = recall(names, name);
    if (!known || known->is_asked)
        return known != 0;
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

__attribute__((weak)) void *__symcrete_fopen(const char *name, const char *mode)
{
    int fd;

    if (mode[0] != 'r' || !is_prepared(name))
        return fopen(name, mode);
    fd = is_there(name) ? __symcrete_opened(name, mode[1] == '+' || (mode[1] && mode[2] == '+') ? O_RDWR : O_RDONLY) : open_known(name, O_RDONLY);
    return fd < 0 ? 0 : fdopen(fd, mode);
}
__attribute__((weak)) int __symcrete_open(const char *name, int flags, ...)
{
    if (flags != O_RDONLY || !is_prepared(name))
        return open(name, flags, 0666);
    return is_there(name) ? __symcrete_opened(name, flags) : open_known(name, flags);
}

/* Runs what was registered with `atexit`, if anything was. */
__attribute__((weak)) void __funcs_on_exit(void);
void __symcrete_main_returns(void)
{
    if (__funcs_on_exit)
        __funcs_on_exit();
}
