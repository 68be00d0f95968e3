/* A ring whose users may have failed to make it. */
#include <stddef.h>

#define IS_VALID(r)                                                                                \
    ((r) != NULL && (r)->size > 0)

struct ring {
    char *bytes;
    size_t size;
    size_t n;
    void (*notify)(struct ring *ring);
};

int ring_init(struct ring *ring, char *bytes, size_t size)
{
    if (ring == NULL || size == 0)
        return 0;
    ring->bytes = bytes;
    ring->size = size;
    ring->n = 0;
    ring->notify = NULL;
    return 1;
}

int ring_put(struct ring *ring, char byte)
{
    if (!IS_VALID(ring) || ring->n == ring->size)
        return 0;
    ring->bytes[ring->n++] = byte;
    return 1;
}
