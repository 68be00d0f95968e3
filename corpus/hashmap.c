/* hashmap: chained buckets behind a supplemental hash of shifts, sums and exclusive ors; put, get and remove.
 *
 * Takaki et al. 2010 (after the hash map of an early JDK). Entry: hashmap(a, b, c, sought, removed). Eight buckets. Hash
 * arithmetic is modulo 2^32.
 * Returns a number made of the size, the found value, and the length of the longest chain.
 * Infeasible: nothing known.
 */

#include <stdint.h>

enum { BUCKETS = 8, ENTRIES = 4 };

struct map {
    int head[BUCKETS]; /* 0: empty */
    int next[ENTRIES];
    int key[ENTRIES];
    int value[ENTRIES];
    int used;
    int size;
};

static unsigned bucket_of(int key) {
    uint32_t h = (uint32_t)key;
    h += ~(h << 9);
    h ^= h >> 14;
    h += h << 4;
    h ^= h >> 10;
    return h & (BUCKETS - 1);
}

static int *link_to(struct map *map, int key) {
    int *link = &map->head[bucket_of(key)];
    while (*link != 0 && map->key[*link] != key) {
        link = &map->next[*link];
    }
    return link;
}

static void put(struct map *map, int key, int value) {
    int *link = link_to(map, key);
    if (*link == 0) {
        map->used++;
        map->key[map->used] = key;
        *link = map->used;
        map->size++;
    }
    map->value[*link] = value;
}

static int get(struct map *map, int key) {
    int *link = link_to(map, key);
    if (*link == 0) {
        return 0;
    }
    return map->value[*link];
}

static int take(struct map *map, int key) {
    int *link = link_to(map, key);
    if (*link == 0) {
        return 0;
    }
    *link = map->next[*link];
    map->size--;
    return 1;
}

static int longest_chain(const struct map *map) {
    int longest = 0;
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
        int length = 0;
        for (int entry = map->head[bucket]; entry != 0; entry = map->next[entry]) {
            length++;
        }
        if (length > longest) {
            longest = length;
        }
    }
    return longest;
}

int hashmap(int a, int b, int c, int sought, int removed) {
    struct map map = {{0}, {0}, {0}, {0}, 0, 0};
    put(&map, a, 1);
    put(&map, b, 2);
    put(&map, c, 3);
    int result = longest_chain(&map);
    result = 10 * result + get(&map, sought);
    result = 10 * result + take(&map, removed);
    if (result == 330) {
        return -1;
    }
    return 10 * result + map.size;
}
