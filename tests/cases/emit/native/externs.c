/* Variables that are declared here and defined nowhere: tests define them. */
#include <stdbool.h>

struct point { int x; short y; };
extern int limit;
extern const int fixed;
extern struct point origin;
extern unsigned char table[];
extern double ratios[2];
extern char *title;
extern bool (*filter)(int);
extern int never_used;

int above(int x) { return x > limit ? 1 : 0; }
int at_origin(const struct point *p) { return p && p->x == origin.x && p->y == origin.y; }
int in_table(unsigned i) { return i < 4 && table[i] == 'x'; }
int ratio(void) { return ratios[0] > 1.5 && ratios[1] == -ratios[0]; }
int titled(void) { return title ? title[0] == 'T' : -1; }
int passes(int x) { return filter && filter(x) ? 1 : 0; }
int moved(int x) { limit += x; return limit == 7; }
