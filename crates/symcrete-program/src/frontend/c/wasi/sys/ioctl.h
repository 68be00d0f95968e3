/* What wasi-libc's <sys/ioctl.h> lacks. */
#include_next <sys/ioctl.h>
#ifndef SYMCRETE_SYS_IOCTL_H
#define SYMCRETE_SYS_IOCTL_H

#ifndef TIOCGWINSZ
#define TIOCGWINSZ 0x5413
#define TIOCSWINSZ 0x5414
struct winsize {
    unsigned short ws_row;
    unsigned short ws_col;
    unsigned short ws_xpixel;
    unsigned short ws_ypixel;
};
#endif
#ifndef TIOCSCTTY
#define TIOCSCTTY 0x540e
#define TIOCGPGRP 0x540f
#define TIOCSPGRP 0x5410
#define TIOCSTI 0x5412
#define TIOCNOTTY 0x5422
#endif

#endif
