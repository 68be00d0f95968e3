/* Pointers, strings, structures, assignments and commas in conditions. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct node { int value; struct node *next; };
struct flags { unsigned ready : 1; unsigned level : 3; _Bool on; };

int length(const struct node *list) {
    int n = 0;
    while (list) {
        n++;
        list = list->next;
    }
    return n;
}

struct node *find(struct node *list, int value) {
    for (struct node *p = list; p != NULL; p = p->next)
        if (p->value == value) return p;
    return NULL;
}

int assigned(const char *s, int x) {
    const char *found;
    int n;
    if ((found = strchr(s, 'x')) != NULL && found[1]) return 1;
    if ((n = x * 2)) return n;
    if (n = x + 1, n > 1) return 2;
    while ((x = *s++) != 0 && x != '.') n += x;
    return n;
}

int states(const struct flags *f) {
    if (!f) return -1;
    if (f->ready && f->level > 3) return 1;
    if (f->on) return 2;
    if (f->level & 1) return 3;
    if ((f->level & 6) == 2) return 4;
    return 0;
}

int order(const char *a, const char *b) {
    if (a == b) return 0;
    if (a < b) return -1;
    return !a || !*a;
}

int literal(int x) {
    struct node n = x > 2 ? (struct node){x, NULL} : (struct node){.value = 1 && x};
    int values[] = {x == 1, x > 0 && x < 9, 3};
    return n.value + values[x > 1 ? 1 : 0];
}

int main(void) {
    struct node c = {3, NULL}, b = {2, &c}, a = {1, &b};
    struct flags f[] = {{1, 4, 0}, {0, 7, 1}, {1, 3, 0}, {0, 2, 0}, {0, 0, 0}};
    int sum = length(&a) + length(NULL) + find(&a, 3)->value + (find(&a, 9) == NULL);
    sum += assigned("axb", 0) + assigned("ax", 3) + assigned("abc.d", 0) + assigned("", -1);
    for (int i = 0; i < 5; i++) sum += states(&f[i]);
    char text[] = "hello";
    sum += states(NULL) + order(text, text) + order(text, text + 1) + order(text + 5, text);
    printf("%d\n", sum + order(text + 1, NULL) + order(text + 1, text) + literal(1) + literal(5) + literal(0));
    return 0;
}
