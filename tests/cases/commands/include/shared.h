#define LIMIT 40
int inner(int x);
