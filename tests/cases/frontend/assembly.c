// defines: fine barrier
// absent: cycles moved raw syscall3 in_macro
// left out: cycles:11 moved:14 raw:17 syscall3:23 in_macro:28
// imports: env.moved env.raw
int fine(int a) { return a > 2; }

static inline unsigned long long cycles(void)
{
    unsigned low, high;

    __asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high));
    return ((unsigned long long)high << 32) | low;
}
int moved(int a) { int r; __asm__("movl %1,%0" : "=r"(r) : "r"(a)); return r; }
int barrier(int a) { __asm__ __volatile__("" : : : "memory"); return a + moved(a); }

void raw(void) { asm("cli"); }

int syscall3(int n)
{
    register int number asm("eax") = n;

    asm volatile("int $0x80" : "+r"(number));
    return number;
}

#define HALT() __asm__ volatile("hlt" : : "S"(0))
int in_macro(int a) { if (a) HALT(); return a; }

int caller(void) { raw(); return moved(3); }
