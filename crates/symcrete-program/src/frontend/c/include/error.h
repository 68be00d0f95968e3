/* glibc's messages; `runtime/glibc.c` has them. A program may have another function that is called like one of them. */
#ifndef SYMCRETE_ERROR_H
#define SYMCRETE_ERROR_H

void error(int status, int number, const char *format, ...) __asm__("symcrete_error");
void error_at_line(int status, int number, const char *file, unsigned line, const char *format, ...)
    __asm__("symcrete_error_at_line");

#endif
