/* Stands in for Unity where it is not installed: the few of its macros that generated tests use. */
#ifndef UNITY_STAND_IN_H
#define UNITY_STAND_IN_H

#include <setjmp.h>
#include <stdio.h>

void setUp(void);
void tearDown(void);

static jmp_buf unity_back;
static const char *unity_test;
static unsigned unity_n_tests, unity_n_failed;

#define TEST_ASSERT_MESSAGE(condition, message) \
    do { \
        if (!(condition)) { \
            printf("%s:%d:%s:FAIL: %s\n", __FILE__, __LINE__, unity_test, message); \
            longjmp(unity_back, 1); \
        } \
    } while (0)

#define UNITY_BEGIN() (unity_n_tests = unity_n_failed = 0)
#define UNITY_END() (int)(printf("%u Tests %u Failures\n", unity_n_tests, unity_n_failed), unity_n_failed)

#define RUN_TEST(test) \
    do { \
        unity_test = #test; \
        unity_n_tests++; \
        if (setjmp(unity_back) == 0) { \
            setUp(); \
            test(); \
            printf("%s:%d:%s:PASS\n", __FILE__, __LINE__, #test); \
        } else { \
            unity_n_failed++; \
        } \
        tearDown(); \
    } while (0)

#endif
