/* A hash map from short names to numbers. */
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    char *key;
    int value;
    struct entry *next;
} entry;

typedef struct map {
    entry *buckets[4];
    int n_entries;
} map;

static unsigned hash(const char *key)
{
    unsigned hash = 5;
    while (*key)
        hash = hash * 33 + (unsigned char)*key++;
    return hash % 4;
}

map *map_create(void)
{
    return calloc(1, sizeof(map));
}

static entry *find(const map *m, const char *key)
{
    entry *e;
    for (e = m->buckets[hash(key)]; e; e = e->next)
        if (strcmp(e->key, key) == 0)
            return e;
    return NULL;
}

int map_put(map *m, const char *key, int value)
{
    entry *e = find(m, key);
    if (e) {
        e->value = value;
        return 0;
    }
    e = malloc(sizeof *e);
    e->key = malloc(strlen(key) + 1);
    strcpy(e->key, key);
    e->value = value;
    e->next = m->buckets[hash(key)];
    m->buckets[hash(key)] = e;
    m->n_entries++;
    return 1;
}

int map_get(const map *m, const char *key, int *value)
{
    entry *e = find(m, key);
    if (!e)
        return 0;
    *value = e->value;
    return 1;
}

const entry *map_entry(const map *m, const char *key)
{
    const entry *e = find(m, key);
    return e && e->value > 0 ? e : NULL;
}

void map_destroy(map *m)
{
    int i;
    for (i = 0; i < 4; i++)
        while (m->buckets[i]) {
            entry *e = m->buckets[i];
            m->buckets[i] = e->next;
            free(e->key);
            free(e);
        }
    free(m);
}
