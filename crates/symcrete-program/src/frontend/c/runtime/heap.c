/* Where memory comes from with musl: `malloc` and its kin, under their own names.
 *
 * A small allocator of our own: it does the same in every run, and asks for as much as is used. A block has a header; blocks that
 * are free wait in a list for their size. A program's own definitions win. */
#include <errno.h>
#include "symcrete.h"

#define WEAK __attribute__((weak))

/* Nobody has these bytes: they are behind the end of the heap. */
SYMCRETE_HOST(unused) void symcrete_unused(void *address, size_t size);

enum { UNIT = 16, N_SMALL = 64, N_LISTS = 96, PAGE = 65536, WATCHED = 65536 };

struct chunk {
    /* Bytes behind the header. */
    size_t room;
    /* The next free chunk; of one in use, the chunk that is to be freed with it. */
    struct chunk *link;
};

extern char __heap_base;
static struct chunk *free_lists[N_LISTS];
static char *heap_end, *memory_end;

/* The list for a size, and how many bytes its chunks have. Above a KiB sizes are powers of two. */
static unsigned list_of(size_t size, size_t *room)
{
    size_t n_units = size < UNIT ? 1 : (size + UNIT - 1) / UNIT;
    unsigned list = N_SMALL;

    if (n_units < N_SMALL) {
        *room = n_units * UNIT;
        return (unsigned)n_units;
    }
    *room = N_SMALL * UNIT;
    while (*room < size) {
        *room *= 2;
        list++;
    }
    return list;
}

/* So many more bytes at the end of the heap; null if there are no more. */
static void *extend_heap(size_t size)
{
    char *start;
    size_t left;

    if (!heap_end) {
        heap_end = (char *)(((uintptr_t)&__heap_base + UNIT - 1) / UNIT * UNIT);
        memory_end = (char *)(__builtin_wasm_memory_size(0) * PAGE);
    }
    if (size > (size_t)(memory_end - heap_end)) {
        size_t n_pages = (size - (size_t)(memory_end - heap_end) + PAGE - 1) / PAGE;
        if (__builtin_wasm_memory_grow(0, n_pages) == (size_t)-1)
            return 0;
        memory_end += n_pages * PAGE;
    }
    start = heap_end;
    heap_end += size;
    left = (size_t)(memory_end - heap_end);
    symcrete_unused(heap_end, left < WATCHED ? left : WATCHED);
    return start;
}

WEAK void *malloc(size_t size)
{
    size_t room;
    unsigned list;
    struct chunk *chunk;

    /* No memory is that large. */
    if (size > UINT32_MAX) {
        errno = ENOMEM;
        return 0;
    }
    list = list_of(size, &room);
    chunk = free_lists[list];
    if (chunk) {
        free_lists[list] = chunk->link;
    } else {
        chunk = extend_heap(sizeof *chunk + room);
        if (!chunk) {
            errno = ENOMEM;
            return 0;
        }
    }
    chunk->room = room;
    chunk->link = chunk;
    return chunk + 1;
}

WEAK void free(void *address)
{
    struct chunk *chunk;
    size_t room;

    if (!address)
        return;
    chunk = ((struct chunk *)address - 1)->link;
    unsigned list = list_of(chunk->room, &room);
    chunk->link = free_lists[list];
    free_lists[list] = chunk;
}

WEAK size_t malloc_usable_size(void *address) { return address ? ((struct chunk *)address - 1)->room : 0; }

WEAK void *calloc(size_t n, size_t size)
{
    char *address;

    if (size && n > (size_t)-1 / size) {
        errno = ENOMEM;
        return 0;
    }
    address = malloc(n * size);
    for (size_t i = 0; address && i < n * size; i++)
        address[i] = 0;
    return address;
}

WEAK void *realloc(void *earlier, size_t size)
{
    size_t room = malloc_usable_size(earlier);
    char *moved;

    if (earlier && size <= room)
        return earlier;
    moved = malloc(size);
    for (size_t i = 0; moved && i < room; i++)
        moved[i] = ((char *)earlier)[i];
    if (moved)
        free(earlier);
    return moved;
}

WEAK void *reallocarray(void *earlier, size_t n, size_t size)
{
    if (size && n > (size_t)-1 / size) {
        errno = ENOMEM;
        return 0;
    }
    return realloc(earlier, n * size);
}

WEAK void *aligned_alloc(size_t alignment, size_t size)
{
    char *address, *aligned;
    struct chunk *whole, *part;

    if (alignment & (alignment - 1) || alignment > UINT32_MAX) {
        errno = EINVAL;
        return 0;
    }
    if (alignment <= UNIT)
        return malloc(size);
    address = malloc(size > UINT32_MAX ? size : size + alignment);
    if (!address)
        return 0;
    whole = (struct chunk *)address - 1;
    aligned = (char *)(((uintptr_t)address + alignment - 1) / alignment * alignment);
    part = (struct chunk *)aligned - 1;
    part->room = (size_t)(address + whole->room - aligned);
    part->link = whole;
    return aligned;
}

WEAK void *memalign(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }

WEAK int posix_memalign(void **to, size_t alignment, size_t size)
{
    void *address;

    if (alignment < sizeof(void *) || alignment & (alignment - 1))
        return EINVAL;
    address = aligned_alloc(alignment, size);
    if (!address)
        return ENOMEM;
    *to = address;
    return 0;
}

/* What the library's own functions call. */
void *__libc_malloc(size_t size) { return malloc(size); }
void *__libc_calloc(size_t n, size_t size) { return calloc(n, size); }
void *__libc_realloc(void *earlier, size_t size) { return realloc(earlier, size); }
void __libc_free(void *address) { free(address); }
