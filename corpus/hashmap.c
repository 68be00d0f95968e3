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

static uint32_t hash_of(int key) {
    uint32_t h = (uint32_t)key;
    h += ~(h << 9);
    h ^= h >> 14;
    h += h << 4;
    h ^= h >> 10;
    return h;
}

static unsigned bucket_of(int key) {
    return hash_of(key) & (BUCKETS - 1);
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

/* The size that the paper's queries have: nine keys are put, two are looked up, two are taken out. */
enum { MANY = 10, MANY_BUCKETS = 32 };

struct large_map {
    int head[MANY_BUCKETS]; /* 0: empty */
    int next[MANY];
    int key[MANY];
    int used;
    int size;
};

static int *link_in(struct large_map *map, int key) {
    int *link = &map->head[hash_of(key) & (MANY_BUCKETS - 1)];
    while (*link != 0 && map->key[*link] != key) {
        link = &map->next[*link];
    }
    return link;
}

int hashmap_sequence(int a, int b, int c, int d, int e, int f, int g, int h, int i, int sought1, int sought2, int removed1,
                     int removed2) {
    struct large_map map = {{0}, {0}, {0}, 0, 0};
    int keys[9] = {a, b, c, d, e, f, g, h, i};
    int sought[2] = {sought1, sought2};
    int removed[2] = {removed1, removed2};
    for (int at = 0; at < 9; at++) {
        int *link = link_in(&map, keys[at]);
        if (*link == 0) {
            map.used++;
            map.key[map.used] = keys[at];
            *link = map.used;
            map.size++;
        }
    }
    int result = 0;
    for (int at = 0; at < 2; at++) {
        if (*link_in(&map, sought[at]) != 0) {
            result++;
        }
    }
    for (int at = 0; at < 2; at++) {
        int *link = link_in(&map, removed[at]);
        if (*link != 0) {
            *link = map.next[*link];
            map.size--;
        }
    }
    return 100 * map.size + result;
}
