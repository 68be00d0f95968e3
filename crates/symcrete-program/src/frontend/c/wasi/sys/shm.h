/* System V's shared memory, declared. */
#ifndef SYMCRETE_SYS_SHM_H
#define SYMCRETE_SYS_SHM_H

#include <stddef.h>
#include <sys/ipc.h>

#define SHM_RDONLY 010000
#define SHM_RND 020000

struct shmid_ds {
    struct ipc_perm shm_perm;
    size_t shm_segsz;
    time_t shm_atime;
    time_t shm_dtime;
    time_t shm_ctime;
    pid_t shm_cpid;
    pid_t shm_lpid;
    unsigned long shm_nattch;
};

int shmget(key_t, size_t, int);
void *shmat(int, const void *, int);
int shmdt(const void *);
int shmctl(int, int, struct shmid_ds *);

#endif
