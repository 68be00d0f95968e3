#include <netdb.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/socket.h>

int connects(int port)
{
    int s = socket(AF_INET, SOCK_STREAM, 0);

    if (s < 0)
        return -1;
    if (gethostbyname("localhost") == 0)
        return -2;
    return port > 1024 ? s : 0;
}
