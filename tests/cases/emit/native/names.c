/* Names that a test file could take for its own, or that other languages and the frameworks reserve. */
#include <stddef.h>

struct result { int status; };
struct test { int i, name; };
typedef int CHECKED;
#define MAXIMUM(a, b) ((a) > (b) ? (a) : (b))

int check(int result) { return result > 3; }
int test(int argc, int argv) { return argc > argv; }
int tests(int state, int name) { return state == name; }
int run(int n_tests, int command) { return n_tests < command; }
int skip(int i) { return i == 4; }
int fail(int x) { return x != 0; }
int setUp(int x) { return x > 1; }
int assert_true(int x) { return x > 2; }
int new(int class, int delete) { return class > delete; }
int template(int this) { return this == 9; }
int (MAXIMUM)(int a, int b) { return a > b ? a : b; }
int symcrete_check_all(int symcrete_failures) { return symcrete_failures > 1; }
int status(struct result result) { return result.status == 5; }
int twice(const struct test *test) { return test ? test->i == 2 * test->name && test->i > 4 : -1; }
CHECKED has_exited(CHECKED is_ok) { return is_ok > 6; }
int memory(int memset, int memcmp) { return memset > memcmp; }
int printed(int printf, int strcmp) { return printf == strcmp + 1; }
int size(int size_t_, int NAN_) { return size_t_ < NAN_; }
int errors(int errno_, int stdin_) { return errno_ > stdin_; }
