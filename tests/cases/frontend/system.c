// imports: symcrete.exit symcrete.uint8 symcrete.uint32 symcrete.assume env.socket env.recv env.pthread_create env.sigaction
// defines: main
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void on_signal(int number) { exit(number); }
static void *body(void *argument) { return argument; }

int main(void)
{
    char buffer[16];
    struct sigaction action = {.sa_handler = on_signal};
    pthread_t thread;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    signal(SIGINT, on_signal);
    sigaction(SIGTERM, &action, NULL);
    pthread_create(&thread, NULL, body, NULL);
    srand((unsigned)time(NULL) + (unsigned)clock() + (unsigned)getpid());
    if (recv(fd, buffer, sizeof buffer, 0) > 0 || read(0, buffer, 1) == 1)
        raise(SIGINT);
    return mmap(NULL, 10, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
}
