/* The shell's expansion of words, declared. */
#ifndef SYMCRETE_WORDEXP_H
#define SYMCRETE_WORDEXP_H

#include <stddef.h>

#define WRDE_NOCMD 4
#define WRDE_SYNTAX 5

typedef struct {
    size_t we_wordc;
    char **we_wordv;
    size_t we_offs;
} wordexp_t;

int wordexp(const char *__restrict, wordexp_t *__restrict, int);
void wordfree(wordexp_t *);

#endif
