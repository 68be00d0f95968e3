/* Notes which sides of conditions natively run code takes.
 *
 * `T(line, condition)` stands for a condition and `oracle_switch` around what a `switch` decides on. A side is noted
 * together with a set of features: what about the call goes beyond the limits of generated inputs. */
#ifndef ORACLE_H
#define ORACLE_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum oracle_feature {
    ORACLE_ALIASING = 1,
    ORACLE_STATE = 2,
    ORACLE_ENVIRONMENT = 4,
    ORACLE_LENGTH = 8,
    ORACLE_DEPTH = 16,
    ORACLE_UNDEFINED = 64,
    ORACLE_FEATURES = 128
};

typedef unsigned char oracle_sides[ORACLE_LINES][2][ORACLE_FEATURES];

static oracle_sides *oracle_hits;
static int oracle_entry;
static unsigned oracle_features;
static int oracle_is_on = 1;

static void oracle_open(const char *name)
{
    size_t size = ORACLE_ENTRIES * sizeof(oracle_sides);
    int file = open(name, O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, (off_t)size) != 0)
        _exit(99);
    oracle_hits = mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (oracle_hits == MAP_FAILED)
        _exit(99);
    close(file);
}

#ifndef ORACLE_DRIVER
__attribute__((constructor)) static void oracle_start(void)
{
    const char *name = getenv("ORACLE_HITS");
    if (name)
        oracle_open(name);
}
#endif

static int oracle_hit(int line, int side)
{
    if (oracle_hits && oracle_is_on)
        oracle_hits[oracle_entry][line][side][oracle_features] = 1;
    return side;
}

#define T(line, condition) oracle_hit(line, (condition) ? 1 : 0)

struct oracle_label {
    int number;
    long long low, high;
    int line;
};

/* Notes the label that a value leads to; a label without a range of its own is the default. */
static long long oracle_switch(int number, long long value);

#define ORACLE_LABELS(labels)                                                                      \
    static long long oracle_switch(int number, long long value)                                    \
    {                                                                                              \
        int otherwise = 0;                                                                         \
        for (unsigned i = 0; i < sizeof labels / sizeof labels[0]; i++) {                          \
            if (labels[i].number != number)                                                        \
                continue;                                                                          \
            if (labels[i].low > labels[i].high)                                                    \
                otherwise = labels[i].line;                                                        \
            else if (labels[i].low <= value && value <= labels[i].high) {                          \
                oracle_hit(labels[i].line, 1);                                                     \
                return value;                                                                      \
            }                                                                                      \
        }                                                                                          \
        oracle_hit(otherwise, 1);                                                                  \
        return value;                                                                              \
    }

/* Variables that outlive a call lie together, so that the driver can put them back. */
#define ORACLE_KEPT __attribute__((section("oracle_state")))

#endif
