/* Harnesses call functions through ENTER("name", call). The fuzzer just calls them; the replay counts, apart for each
 * name, which branch sides run between the call and its return. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef REPLAY
#include <stdio.h>
void __llvm_profile_reset_counters(void);
void __llvm_profile_set_filename(const char *name);
int __llvm_profile_write_file(void);

static void entry_begin(void) { __llvm_profile_reset_counters(); }

static void entry_end(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s-%%1m.profraw", getenv("ENTRY_PROFILES"), name);
    __llvm_profile_set_filename(path);
    __llvm_profile_write_file();
    __llvm_profile_reset_counters();
}

#define ENTER(name, call)                                                                          \
    do {                                                                                           \
        entry_begin();                                                                             \
        call;                                                                                      \
        entry_end(name);                                                                           \
    } while (0)
#else
#define ENTER(name, call)                                                                          \
    do {                                                                                           \
        call;                                                                                      \
    } while (0)
#endif

/* The input as a string; freed by the caller. */
static char *entry_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = 0;
    return text;
}
