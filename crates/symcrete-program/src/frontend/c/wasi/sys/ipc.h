/* What System V's shared memory, semaphores and queues have in common. */
#ifndef SYMCRETE_SYS_IPC_H
#define SYMCRETE_SYS_IPC_H

#include <sys/types.h>

#define __NEED_key_t
#include <bits/alltypes.h>

#define IPC_CREAT 01000
#define IPC_EXCL 02000
#define IPC_NOWAIT 04000
#define IPC_RMID 0
#define IPC_SET 1
#define IPC_STAT 2
#define IPC_PRIVATE ((key_t)0)

struct ipc_perm {
    key_t key;
    uid_t uid;
    gid_t gid;
    uid_t cuid;
    gid_t cgid;
    mode_t mode;
};

key_t ftok(const char *, int);

#endif
