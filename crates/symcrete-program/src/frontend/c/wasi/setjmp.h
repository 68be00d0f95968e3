/* Jumps. wasi-libc has them for WebAssembly's exceptions only. */
#ifndef SYMCRETE_SETJMP_H
#define SYMCRETE_SETJMP_H

typedef struct {
    long state[16];
} __jmp_buf_tag;
typedef __jmp_buf_tag jmp_buf[1];
typedef __jmp_buf_tag sigjmp_buf[1];

int setjmp(jmp_buf);
int _setjmp(jmp_buf);
int sigsetjmp(sigjmp_buf, int);
void longjmp(jmp_buf, int) __attribute__((__noreturn__));
void _longjmp(jmp_buf, int) __attribute__((__noreturn__));
void siglongjmp(sigjmp_buf, int) __attribute__((__noreturn__));

#endif
