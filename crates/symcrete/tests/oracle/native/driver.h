/* Calls functions with many inputs, environments and states, and survives what they do.
 *
 * Every choice is a digit of `oracle_index` while all inputs are enumerated, else a random number. */
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

/* What is declared in the sources and defined by nobody there. */
int ask(int x);
void fill(int *x);
void touch(void);
int take(signed char *to, int n);
struct pair load(int x);

extern char __start_oracle_state[], __stop_oracle_state[];

static unsigned long long oracle_index, oracle_random = 88172645463325252ull;
static int oracle_enumerates;
static sigjmp_buf oracle_back;
static volatile unsigned long long oracle_calls, oracle_calls_seen;

static unsigned oracle_next(unsigned n)
{
    unsigned digit;
    if (oracle_enumerates) {
        digit = (unsigned)(oracle_index % n);
        oracle_index /= n;
        return digit;
    }
    oracle_random ^= oracle_random << 13;
    oracle_random ^= oracle_random >> 7;
    oracle_random ^= oracle_random << 17;
    return (unsigned)((oracle_random >> 20) % n);
}

static const long long oracle_numbers[] = {
    0, 1, -1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15, 16, 31, 41, 42, 43, 63, 64, 65, 99, 100, 101, 127, 128, 255, 256,
    1000, -2, -7, -8, -9, -42, -127, -128, -129, 32767, -32768, 65535, 65536, 2147483647, -2147483647, -2147483648ll,
    4294967295ll, 4294967296ll, 4294967303ll, -4294967296ll, 9223372036854775807ll, -9223372036854775807ll - 1,
};
enum { ORACLE_NUMBERS = sizeof oracle_numbers / sizeof oracle_numbers[0] };

static long long oracle_number(void)
{
    return oracle_numbers[oracle_next(ORACLE_NUMBERS)];
}

static const unsigned oracle_words[] = {
    0, 0x80000000u, 0x3f800000u, 0xbf800000u, 0x40490fdbu, 0x3fc00000u, 0x40200000u, 0x42280000u, 0xc1000000u,
    0x7f800000u, 0xff800000u, 0x7fc00000u, 0xffc00000u, 0x7fc00001u, 0x7fc00005u, 0x7f800001u, 0xffc00005u, 1,
    0x7f7fffffu, 0x00800000u, 0x3dcccccdu, 0x4b800000u, 0xcb800000u, 7, 42, 0x3f000000u,
};
enum { ORACLE_WORDS = sizeof oracle_words / sizeof oracle_words[0] };

static float oracle_float(void)
{
    float value;
    memcpy(&value, &oracle_words[oracle_next(ORACLE_WORDS)], sizeof value);
    return value;
}

static double oracle_double(void)
{
    static const double values[] = {0.1, 1e300, 4503599627370497.0, 1e-300, 2147483648.0, 0.3, 1.5, 2.5, -3.25};
    unsigned n = oracle_next(9 + ORACLE_WORDS);
    float value;
    if (n < 9)
        return values[n];
    memcpy(&value, &oracle_words[n - 9], sizeof value);
    return value;
}

static const char *oracle_text(void)
{
    static const char *const texts[] = {
        0, "", "a", "b", "x", "on", "off", "ab", "a1", "7", "42", "-8", "abc", "hello", "longer than eight",
        "exactly twenty chars", "  ", "=", "k=v", "aaaaaaaa", "aaaaaaaaa", "\x80", "\xff\x01", "x7",
    };
    static char buffer[64];
    const char *text = texts[oracle_next(sizeof texts / sizeof texts[0])];
    memset(buffer, 0, sizeof buffer);
    if (!text)
        return 0;
    if (strlen(text) > 7)
        oracle_features |= ORACLE_LENGTH;
    strcpy(buffer, text);
    return buffer;
}

/* The environment: anything can be asked for and answered. */
long oracle_time(long *to)
{
    long now = (long)oracle_number();
    oracle_features |= ORACLE_ENVIRONMENT;
    if (to)
        *to = now;
    return now;
}

int oracle_rand(void)
{
    oracle_features |= ORACLE_ENVIRONMENT;
    return (int)(oracle_number() & 0x7fffffff);
}

char *oracle_getenv(const char *name)
{
    static char *const values[] = {0, "", "1", "on", "x", "7"};
    (void)name;
    oracle_features |= ORACLE_ENVIRONMENT;
    return values[oracle_next(6)];
}

#undef malloc
void *oracle_malloc(size_t size)
{
    static char memory[4096];
    if (oracle_next(4) == 0) {
        oracle_features |= ORACLE_ENVIRONMENT;
        return 0;
    }
    return size <= sizeof memory ? memory : 0;
}

void oracle_free(void *memory)
{
    (void)memory;
}

/* Functions that nobody defines: their results and what they write through their arguments are inputs, whatever else they do
 * is not. */
int ask(int x)
{
    (void)x;
    return (int)oracle_number();
}

void fill(int *x)
{
    if (oracle_next(2))
        *x = (int)oracle_number();
}

/* No more than there is room for. */
int take(signed char *to, int n)
{
    int i;
    for (i = 0; i < n && i < 4; i++)
        to[i] = (signed char)oracle_number();
    return (int)oracle_number();
}

void touch(void)
{
    if (oracle_next(2)) {
        oracle_features |= ORACLE_UNDEFINED;
        shared = (int)oracle_number();
    }
}

struct pair load(int x)
{
    struct pair pair = {(int)oracle_number(), (short)oracle_number()};
    (void)x;
    return pair;
}

/* What callers pass: constant, the identity, another number each time, and one that changes what it can reach. */
static int oracle_same(int x) { return x; }
static int oracle_five(int x) { (void)x; return 5; }
static int oracle_any(int x) { (void)x; return (int)oracle_number(); }
static int oracle_setting(int x)
{
    oracle_features |= ORACLE_UNDEFINED;
    shared = x;
    return -1;
}

static int (*oracle_callback(void))(int)
{
    static int (*const functions[])(int) = {0, oracle_same, oracle_five, oracle_any, oracle_setting};
    return functions[oracle_next(5)];
}

static int oracle_gets_five(int *to) { *to = 5; return 1; }
static int oracle_gets_any(int *to) { *to = (int)oracle_number(); return (int)oracle_number(); }
static int oracle_gets_nothing(int *to) { return *to; }

static int (*oracle_getter(void))(int *)
{
    static int (*const functions[])(int *) = {0, oracle_gets_five, oracle_gets_any, oracle_gets_nothing};
    return functions[oracle_next(4)];
}

/* Objects; each pointer may be null, or point to what an earlier pointer points to. */
enum { ORACLE_PAIRS_MAX = 32 };
static struct pair oracle_pairs[ORACLE_PAIRS_MAX];
static int oracle_n_pairs;

static struct pair *oracle_pair(void)
{
    unsigned choice = oracle_next(4);
    struct pair *pair = &oracle_pairs[oracle_n_pairs];
    if (choice == 0 || oracle_n_pairs == ORACLE_PAIRS_MAX)
        return 0;
    if (choice == 1 && oracle_n_pairs > 0) {
        oracle_features |= ORACLE_ALIASING;
        return &oracle_pairs[oracle_next((unsigned)oracle_n_pairs)];
    }
    oracle_n_pairs++;
    pair->x = (int)oracle_number();
    pair->y = (short)oracle_number();
    return pair;
}

static struct outer *oracle_outer(void)
{
    static struct outer chain[6];
    unsigned n = oracle_next(6), i;
    if (n == 0)
        return 0;
    if (n > 2)
        oracle_features |= ORACLE_DEPTH;
    for (i = 0; i < n; i++) {
        chain[i].p = oracle_pair();
        chain[i].k = (int)oracle_number();
        chain[i].next = i + 1 < n ? &chain[i + 1] : 0;
    }
    if (oracle_next(8) == 0) {
        oracle_features |= ORACLE_ALIASING;
        chain[n - 1].next = &chain[oracle_next(n)];
    }
    return chain;
}

static struct node *oracle_list(void)
{
    static struct node nodes[8];
    unsigned n = oracle_next(8), i;
    if (n == 0)
        return 0;
    if (n > 3)
        oracle_features |= ORACLE_DEPTH;
    for (i = 0; i < n; i++) {
        nodes[i].v = (int)oracle_number();
        nodes[i].next = i + 1 < n ? &nodes[i + 1] : 0;
    }
    if (oracle_next(16) == 0) {
        oracle_features |= ORACLE_ALIASING;
        nodes[n - 1].next = nodes;
    }
    return nodes;
}

/* Arrays; each may be the one before, or start inside it. */
enum { ORACLE_ARRAYS_MAX = 8 };
static int oracle_n_arrays;

static int *oracle_array(int *length)
{
    static const int lengths[] = {0, 1, 2, 3, 4, 7, 8, 9, 12, 20};
    static int values[ORACLE_ARRAYS_MAX][32];
    int n = lengths[oracle_next(10)], i, *own = values[oracle_n_arrays % ORACLE_ARRAYS_MAX];
    if (n > 8)
        oracle_features |= ORACLE_LENGTH;
    *length = n;
    if (oracle_n_arrays > 0 && oracle_next(4) == 0) {
        oracle_features |= ORACLE_ALIASING;
        return values[(oracle_n_arrays - 1) % ORACLE_ARRAYS_MAX] + oracle_next(5);
    }
    oracle_n_arrays++;
    for (i = 0; i < 32; i++)
        own[i] = (int)oracle_number();
    return own;
}

static const unsigned char *oracle_bytes(size_t *size)
{
    static unsigned char bytes[32];
    int n, i, *values = oracle_array(&n);
    for (i = 0; i < 32; i++)
        bytes[i] = (unsigned char)values[i];
    *size = (size_t)n;
    return bytes;
}

static const char *oracle_span(const char **end)
{
    size_t size;
    const char *bytes = (const char *)oracle_bytes(&size);
    oracle_features |= ORACLE_ALIASING;
    *end = bytes + size;
    return bytes;
}

static struct buffer *oracle_buffer(void)
{
    static struct buffer buffer;
    int i;
    if (oracle_next(4) == 0)
        return 0;
    buffer.used = (int)oracle_number();
    for (i = 0; i < 4; i++)
        buffer.data[i] = (unsigned char)oracle_number();
    return &buffer;
}

static void oracle_caught(int signal)
{
    (void)signal;
    siglongjmp(oracle_back, 1);
}

static void oracle_tick(int signal)
{
    (void)signal;
    if (oracle_calls == oracle_calls_seen)
        siglongjmp(oracle_back, 1);
    oracle_calls_seen = oracle_calls;
}

static void oracle_catch(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};
    static char stack[1 << 16];
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_flags = SA_NODEFER | SA_ONSTACK};
    struct itimerval every = {{0, 5000}, {0, 5000}};
    unsigned i;
    sigaltstack(&other, 0);
    action.sa_handler = oracle_caught;
    for (i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaction(signals[i], &action, 0);
    action.sa_handler = oracle_tick;
    sigaction(SIGPROF, &action, 0);
    setitimer(ITIMER_PROF, &every, 0);
}

struct oracle_function {
    void (*call)(void);
    /* How many inputs there are; 0 if they are not to be enumerated. */
    unsigned long long inputs;
};

enum { ORACLE_CALLS = 1 << 16, ORACLE_SAMPLES = 20000, ORACLE_ENDLESS = 40 };

/* One call, from the start of the program or after whatever was called before. */
static int oracle_call(int entry, const struct oracle_function *function, const char *start, int is_fresh)
{
    size_t size = (size_t)(__stop_oracle_state - __start_oracle_state);
    oracle_entry = entry;
    oracle_features = 0;
    oracle_n_pairs = 0;
    oracle_n_arrays = 0;
    oracle_calls++;
    if (is_fresh)
        memcpy(__start_oracle_state, start, size);
    else {
        oracle_features |= ORACLE_STATE;
        if (oracle_random & 0x100)
            shared = (int)oracle_numbers[(oracle_random >> 9) % ORACLE_NUMBERS];
    }
    if (sigsetjmp(oracle_back, 1))
        return oracle_calls == oracle_calls_seen;
    function->call();
    return 0;
}

static void oracle_call_all(int entry, const struct oracle_function *function, const char *start)
{
    int enumerates = function->inputs > 0 && function->inputs <= ORACLE_CALLS, n_endless = 0;
    unsigned long long n = enumerates ? function->inputs : ORACLE_SAMPLES, i;
    for (i = 0; i < 2 * n && n_endless < ORACLE_ENDLESS; i++) {
        oracle_enumerates = enumerates;
        oracle_index = i / 2;
        n_endless += oracle_call(entry, function, start, i % 2 == 0);
    }
}

static int oracle_main(int argc, char **argv, const struct oracle_function *functions, int n)
{
    size_t size = (size_t)(__stop_oracle_state - __start_oracle_state);
    char *start = calloc(1, size + 1);
    int i;
    if (argc < 2 || !start)
        return 2;
    memcpy(start, __start_oracle_state, size);
    oracle_open(argv[1]);
    oracle_catch();
    for (i = 0; i < n; i++)
        oracle_call_all(i, &functions[i], start);
    return 0;
}
