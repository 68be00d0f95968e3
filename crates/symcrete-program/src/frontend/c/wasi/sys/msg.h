/* System V's message queues, declared. */
#ifndef SYMCRETE_SYS_MSG_H
#define SYMCRETE_SYS_MSG_H

#include <stddef.h>
#include <sys/ipc.h>

#define MSG_NOERROR 010000

struct msqid_ds {
    struct ipc_perm msg_perm;
    time_t msg_stime;
    time_t msg_rtime;
    time_t msg_ctime;
    unsigned long msg_qnum;
    unsigned long msg_qbytes;
    pid_t msg_lspid;
    pid_t msg_lrpid;
};

int msgget(key_t, int);
int msgsnd(int, const void *, size_t, int);
ssize_t msgrcv(int, void *, size_t, long, int);
int msgctl(int, int, struct msqid_ds *);

#endif
