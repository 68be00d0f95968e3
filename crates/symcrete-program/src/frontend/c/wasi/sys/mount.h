/* File systems, declared. */
#ifndef SYMCRETE_SYS_MOUNT_H
#define SYMCRETE_SYS_MOUNT_H

#define MS_RDONLY 1
#define MS_NOSUID 2
#define MS_REMOUNT 32
#define MS_BIND 4096

int mount(const char *, const char *, const char *, unsigned long, const void *);
int umount(const char *);
int umount2(const char *, int);

#endif
