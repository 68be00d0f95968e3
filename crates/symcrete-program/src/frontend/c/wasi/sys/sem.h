/* System V's semaphores, declared. */
#ifndef SYMCRETE_SYS_SEM_H
#define SYMCRETE_SYS_SEM_H

#include <stddef.h>
#include <sys/ipc.h>

#define SEM_UNDO 0x1000
#define GETPID 11
#define GETVAL 12
#define GETALL 13
#define GETNCNT 14
#define GETZCNT 15
#define SETVAL 16
#define SETALL 17

struct sembuf {
    unsigned short sem_num;
    short sem_op;
    short sem_flg;
};

struct semid_ds {
    struct ipc_perm sem_perm;
    time_t sem_otime;
    time_t sem_ctime;
    unsigned long sem_nsems;
};

int semget(key_t, int, int);
int semop(int, struct sembuf *, size_t);
int semctl(int, int, int, ...);

#endif
