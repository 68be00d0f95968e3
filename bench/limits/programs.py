"""Programs that are hard on time limits, made by script: each is a C file that keeps some stage busy."""


def dictionary():
    """A hash table of 1000 pointers with malloc and printf, as C courses write it."""
    return """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define SIZE 1000
typedef struct Dictionary { void *elements[SIZE]; int number_of_elements; } Dictionary;
Dictionary *create_dict(void) {
    Dictionary *dictionary = malloc(sizeof *dictionary);
    if (dictionary) {
        dictionary->number_of_elements = 0;
        for (int i = 0; i < SIZE; i++) dictionary->elements[i] = NULL;
        return dictionary;
    }
    printf("no memory\\n");
    return NULL;
}
unsigned hash(const char *text) {
    unsigned long value = 5381;
    int c;
    while ((c = *text++)) value = ((value << 5) + value) + c;
    return value % SIZE;
}
int add_label(Dictionary *dictionary, char *label, void *item) {
    unsigned index = hash(label);
    if (dictionary->elements[index] == NULL) {
        dictionary->elements[index] = item;
        dictionary->number_of_elements++;
        return 0;
    }
    printf("collision at %u\\n", index);
    return -1;
}
int add_index(Dictionary *dictionary, int index, void *item) {
    if (index < 0 || index >= SIZE) { printf("bad index %d\\n", index); return -1; }
    if (!dictionary->elements[index]) {
        dictionary->elements[index] = item;
        dictionary->number_of_elements++;
        return 0;
    }
    return 1;
}
void *get_label(Dictionary *dictionary, char *label) {
    unsigned index = hash(label);
    if (dictionary->elements[index]) return dictionary->elements[index];
    printf("no entry\\n");
    return NULL;
}
int count(Dictionary *dictionary) {
    int n = 0;
    for (int i = 0; i < SIZE; i++) if (dictionary->elements[i]) n++;
    return n == dictionary->number_of_elements ? n : -1;
}
void destroy(Dictionary *dictionary) {
    for (int i = 0; i < SIZE; i++) if (dictionary->elements[i] != NULL) free(dictionary->elements[i]);
    free(dictionary);
}
"""


def ifs(n=3000):
    """One function with n independent conditions."""
    body = "\n".join(f"    if (a[{i % 8}] * {i % 7 + 1} + b == {i * 37 - 900}) r += {i};" for i in range(n))
    return f"int ifs(const int a[8], int b) {{\n    int r = 0;\n{body}\n    return r;\n}}\n"


def switch(n=5000):
    """One switch with n scattered cases and different bodies."""
    cases = "\n".join(f"    case {i * 3 + i % 2}: r = x * {i} + y; break;" for i in range(n))
    return f"int choose(int x, int y) {{\n    int r = 0;\n    switch (x) {{\n{cases}\n    default: r = -1;\n    }}\n    return r;\n}}\n"


def dense_switch(n=5000):
    """One switch with n cases in a row: a table, and a block for every case."""
    cases = "\n".join(f"    case {i}: if (y == {i * 7}) r = {i}; else r -= y; break;" for i in range(n))
    return f"int choose(int x, int y) {{\n    int r = 0;\n    switch (x) {{\n{cases}\n    default: r = -1;\n    }}\n    return r;\n}}\n"


def long_run():
    """Runs that take as long as they are let, with symbolic state all the way."""
    return """
unsigned spin(unsigned n, unsigned x) {
    for (unsigned i = 0; i < n || x != 1; i++) {
        x = x * 1664525u + 1013904223u;
        if ((x ^ i) % 1000003 == 7) x += i;
    }
    return x;
}
"""


def endless():
    """No end, and no condition."""
    return "int endless(int x) { if (x == 7) for (;;) x++; return x; }\n"


def hard_equations():
    """Conditions that solvers do not decide in any time."""
    return """
#include <math.h>
int factors(unsigned long long p, unsigned long long q) {
    if (p > 1 && q > 1 && p < q && p * q == 18446743979220271189ull) return 1;
    if (p * p * q + q * q * 3 == 0x123456789abcdefull && (p ^ q) * 77 == q - 1) return 2;
    return 0;
}
int floats(double a, double b, double c) {
    if (a * a * a + b * b * b == c * c * c && a > 1 && b > 1) return 1;
    if (sin(a) * cos(b) + exp(c) == tan(a + b)) return 2;
    if (sqrt(a * b - c) * 1e10 == pow(a, b)) return 3;
    return 0;
}
unsigned mix(const unsigned char *s, unsigned len) {
    unsigned h = 2166136261u;
    for (unsigned i = 0; i < len; i++) { h ^= s[i]; h *= 16777619u; h ^= h >> 13; }
    if (h == 0xdeadbeef) return 1;
    if (h % 65537 == 12345 && (h >> 7) % 911 == 13) return 2;
    return 0;
}
"""


def deep_paths():
    """Every element is compared with every other: long path conditions over a symbolic array."""
    return """
int sorted_pairs(int *a, unsigned n) {
    int r = 0;
    for (unsigned k = 0; k < 40; k++)
        for (unsigned i = 0; i < n; i++)
            for (unsigned j = 0; j < n; j++)
                if (a[i] + (int)k < a[j] * (int)(i + 1)) r++;
    if (r == 77) return -1;
    return r;
}
"""


def many_functions(n=300):
    """n functions, none of which is finished quickly."""
    one = """
int f{i}(const unsigned char *s, unsigned n) {{
    unsigned h = {i};
    for (unsigned k = 0; k < n; k++) h = (h ^ s[k]) * 16777619u;
    if (h == {i}u * 2654435761u) return 1;
    return h % 3 == 0;
}}
"""
    return "".join(one.format(i=i) for i in range(n))


def nested_ifs(n=250):
    """Conditions inside conditions."""
    opening = "".join(f"if (a[{i % 8}] > {i - 700}) {{ r += {i};\n" for i in range(n))
    return f"int nested(const int a[8]) {{\nint r = 0;\n{opening}{'}' * n}\nreturn r;\n}}\n"


def wide_structure():
    """A structure with more cells than anybody wants."""
    return """
struct Page { char bytes[256]; int words[512]; };
struct Book { struct Page pages[1]; int n; };
int read_book(struct Book *book, int at) {
    int sum = 0;
    for (int i = 0; i < book->n && i < 1; i++) sum += book->pages[i].words[at & 511];
    if (sum == 12345) return 1;
    return sum;
}
"""


PROGRAMS = {
    "dictionary": dictionary, "ifs": ifs, "switch": switch, "dense_switch": dense_switch,
    "long_run": long_run, "endless": endless, "hard_equations": hard_equations,
    "deep_paths": deep_paths, "many_functions": many_functions, "nested_ifs": nested_ifs,
    "wide_structure": wide_structure,
}
