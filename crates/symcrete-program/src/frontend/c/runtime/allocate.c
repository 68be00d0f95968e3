/* What the front end calls in the place of the C library's functions that allocate memory.
 *
 * A block has a header, 64 bytes that nobody must touch, the object, and at least 16 such bytes behind it. Freed blocks wait
 * before the library may give them out again, so that the use of one is noticed. A block that is allocated anew always
 * moves. The engine is told of all of it; without the engine the header is all there is. */
#include <errno.h>
#include "symcrete.h"

#define UNKNOWN ((size_t)-1)

/* How many bytes to have for so many: the same for many numbers, if the number depends on the input. */
SYMCRETE_HOST(room) size_t symcrete_room(size_t size);
/* Nobody has written the object but for its first bytes. */
SYMCRETE_HOST(allocated) void symcrete_allocated(void *address, size_t written, size_t size, size_t room);
/* Whether it can be freed: comes back only if so. UNKNOWN if somebody else has allocated it. */
SYMCRETE_HOST(freeing) size_t symcrete_freeing(void *address);
/* How many bytes an object of the input has that the program may free; UNKNOWN if it is none. Without the engine it is the
 * address. */
SYMCRETE_HOST(given) size_t symcrete_given(void *address);
SYMCRETE_HOST(freed) void symcrete_freed(void *address);
SYMCRETE_HOST(released) void symcrete_released(void *address);
/* Whether an allocation shall fail. */
SYMCRETE_HOST(allocation_fails) int symcrete_allocation_fails(void);
SYMCRETE_HOST(allocation_limit) void symcrete_allocation_limit(void);

enum { ZONE_BEFORE = 64, ZONE = 16, WAITING_BYTES = 1 << 18, FAIL_NOT_FOLLOWED = 3, FAIL_DOUBLE_FREE = 4, FAIL_INVALID_FREE = 5 };
enum { LIVE = 0x6576696c, GONE = 0x656e6f67 };

struct block {
    void *base;
    size_t room;
    size_t size;
    struct block *next;
    unsigned state;
    unsigned unused[3];
};

void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void *realloc(void *earlier, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
void free(void *address);
size_t malloc_usable_size(void *address);
void *memcpy(void *to, const void *from, size_t n);
size_t strlen(const char *text);
size_t strnlen(const char *text, size_t max);
int vsnprintf(char *to, size_t n, const char *format, __builtin_va_list arguments);
int fgetc(void *file);
extern char __heap_base;

static struct block *oldest, *newest;
static size_t waiting_bytes;

static void *object_of(struct block *block) { return (char *)(block + 1) + ZONE_BEFORE; }
static struct block *block_of(void *address) { return (struct block *)((char *)address - ZONE_BEFORE) - 1; }

enum contents { FRESH, ZEROED };

static void *allocate(size_t alignment, size_t size, enum contents contents)
{
    size_t room = symcrete_room(size);
    size_t front = (sizeof(struct block) + ZONE_BEFORE + alignment - 1) / alignment * alignment;
    size_t all = front + (room + 7) / 8 * 8 + ZONE;
    int can_be = room < UNKNOWN / 2 && alignment < UNKNOWN / 4;
    char *base = 0;

    if (can_be) {
        if (contents == ZEROED)
            base = calloc(1, all);
        else
            base = alignment > 16 ? aligned_alloc(alignment, (all + alignment - 1) / alignment * alignment) : malloc(all);
    }
    if (!base) {
        symcrete_allocation_limit();
        /* Another machine may have as much memory. */
        if (can_be)
            symcrete_fail(FAIL_NOT_FOLLOWED);
        return 0;
    }
    void *address = base + front;
    struct block *block = block_of(address);
    block->base = base;
    block->room = room;
    block->state = LIVE;
    block->next = 0;
    block->size = size;
    symcrete_allocated(address, contents == ZEROED ? UNKNOWN : 0, size, room);
    return address;
}

/* What is about to be freed. */
struct owned {
    /* Null if it is not of the program's own allocations. */
    struct block *block;
    /* Whether it is an object of the input, and its size. */
    int is_given;
    size_t size;
};

static struct owned freeable(void *address)
{
    size_t size = symcrete_freeing(address);
    size_t given = symcrete_given(address);

    if (given != UNKNOWN && (given != (size_t)address || (char *)address < &__heap_base))
        return (struct owned){ 0, 1, given };
    if (size == UNKNOWN && (char *)address >= &__heap_base)
        return (struct owned){ 0, 0, 0 };
    struct block *block = block_of(address);
    if ((char *)address < &__heap_base || (block->state != LIVE && block->state != GONE))
        symcrete_fail(FAIL_INVALID_FREE);
    if (block->state == GONE)
        symcrete_fail(FAIL_DOUBLE_FREE);
    return (struct owned){ block, 0, block->size };
}

static void retire(struct block *block)
{
    block->state = GONE;
    symcrete_freed(object_of(block));
    if (newest)
        newest->next = block;
    else
        oldest = block;
    newest = block;
    waiting_bytes += block->room;
    while (waiting_bytes > WAITING_BYTES && oldest != newest) {
        struct block *first = oldest;
        oldest = first->next;
        waiting_bytes -= first->room;
        symcrete_released(object_of(first));
        free(first->base);
    }
}

static void release(void *address, struct owned owned)
{
    if (owned.is_given)
        symcrete_freed(address);
    else if (owned.block)
        retire(owned.block);
    else
        free(address);
}

static void *reallocate(void *earlier, size_t size)
{
    if (!earlier)
        return allocate(16, size, FRESH);
    struct owned owned = freeable(earlier);
    if (!owned.is_given && !owned.block)
        return realloc(earlier, size);
    /* As on Linux, no bytes are none at all. */
    if (size == 0) {
        release(earlier, owned);
        return 0;
    }
    char *moved = allocate(16, size, FRESH);
    if (!moved)
        return 0;
    memcpy(moved, earlier, size < owned.size ? size : owned.size);
    release(earlier, owned);
    return moved;
}

/* An allocation of the program. */
#define OR_FAIL(allocated) (symcrete_allocation_fails() ? 0 : (allocated))

void *__symcrete_malloc(size_t size) { return OR_FAIL(allocate(16, size, FRESH)); }

void *__symcrete_calloc(size_t n, size_t size)
{
    return OR_FAIL(size && n > UNKNOWN / size ? 0 : allocate(16, n * size, ZEROED));
}

void __symcrete_free(void *address)
{
    if (!address)
        return;
    release(address, freeable(address));
}

void *__symcrete_realloc(void *earlier, size_t size) { return OR_FAIL(reallocate(earlier, size)); }

void *__symcrete_reallocarray(void *earlier, size_t n, size_t size)
{
    return OR_FAIL(size && n > UNKNOWN / size ? 0 : reallocate(earlier, n * size));
}

void *__symcrete_aligned_alloc(size_t alignment, size_t size)
{
    int is_power = alignment && !(alignment & (alignment - 1));
    return OR_FAIL(is_power ? allocate(alignment < 16 ? 16 : alignment, size, FRESH) : 0);
}

int __symcrete_posix_memalign(void **address, size_t alignment, size_t size)
{
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)))
        return EINVAL;
    void *allocated = __symcrete_aligned_alloc(alignment, size);
    if (!allocated)
        return ENOMEM;
    *address = allocated;
    return 0;
}

size_t __symcrete_malloc_usable_size(void *address)
{
    if (!address)
        return 0;
    struct owned owned = freeable(address);
    return owned.is_given || owned.block ? owned.size : malloc_usable_size(address);
}

/* What the library would allocate without us. A program's own definitions win. */
#define WEAK __attribute__((weak))

static char *duplicate(const char *text, size_t length)
{
    char *copy = allocate(16, length + 1, FRESH);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    return copy;
}
WEAK char *__symcrete_strdup(const char *text) { return OR_FAIL(duplicate(text, strlen(text))); }
WEAK char *__symcrete_strndup(const char *text, size_t max) { return OR_FAIL(duplicate(text, strnlen(text, max))); }

WEAK int __symcrete_vasprintf(char **to, const char *format, __builtin_va_list arguments)
{
    __builtin_va_list again;
    __builtin_va_copy(again, arguments);
    int length = vsnprintf(0, 0, format, again);
    __builtin_va_end(again);
    char *text = length < 0 ? 0 : allocate(16, (size_t)length + 1, FRESH);
    if (!text)
        return -1;
    *to = text;
    return vsnprintf(text, (size_t)length + 1, format, arguments);
}
WEAK int __symcrete_asprintf(char **to, const char *format, ...)
{
    __builtin_va_list arguments;
    __builtin_va_start(arguments, format);
    int length = __symcrete_vasprintf(to, format, arguments);
    __builtin_va_end(arguments);
    return length;
}

static long read_until(char **line, size_t *size, int delimiter, void *file)
{
    size_t length = 0;
    int next = 0;
    while (next != delimiter && (next = fgetc(file)) >= 0) {
        if (!*line || length + 2 > *size) {
            size_t larger = 2 * length + 120;
            char *moved = reallocate(*line, larger);
            if (!moved)
                return -1;
            *line = moved;
            *size = larger;
        }
        (*line)[length++] = (char)next;
        (*line)[length] = 0;
    }
    return length ? (long)length : -1;
}
WEAK long __symcrete_getdelim(char **line, size_t *size, int delimiter, void *file)
{
    return read_until(line, size, delimiter, file);
}
WEAK long __symcrete_getline(char **line, size_t *size, void *file)
{
    return read_until(line, size, '\n', file);
}
