/* Stands in for cmocka where it is not installed: the few of its macros that generated tests use. */
#ifndef CMOCKA_STAND_IN_H
#define CMOCKA_STAND_IN_H

#include <setjmp.h>
#include <stdio.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **);
    int (*set_up)(void **);
};

static jmp_buf cmocka_back;

#define cmocka_unit_test(test) { #test, test, 0 }
#define cmocka_unit_test_setup(test, set_up) { #test, test, set_up }
#define assert_true(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "[  ERROR   ] --- %s:%d: %s\n", __FILE__, __LINE__, #condition); \
            longjmp(cmocka_back, 1); \
        } \
    } while (0)

#define cmocka_run_group_tests(tests, set_up, tear_down) \
    cmocka_run(tests, sizeof tests / sizeof tests[0])

static int cmocka_run(const struct CMUnitTest *tests, size_t n_tests)
{
    static volatile size_t i, n_failed;
    static void *state;

    for (i = 0; i < n_tests; i++) {
        if (setjmp(cmocka_back) == 0) {
            if (tests[i].set_up)
                tests[i].set_up(&state);
            tests[i].run(&state);
            fprintf(stderr, "[       OK ] %s\n", tests[i].name);
        } else {
            fprintf(stderr, "[  FAILED  ] %s\n", tests[i].name);
            n_failed++;
        }
    }
    return (int)n_failed;
}

#endif
