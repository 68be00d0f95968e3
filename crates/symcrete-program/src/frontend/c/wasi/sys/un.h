/* Local sockets. */
#ifndef SYMCRETE_SYS_UN_H
#define SYMCRETE_SYS_UN_H
#define _SYS_UN_H
#define __wasilibc___struct_sockaddr_un_h

#include <string.h>
#include <sys/socket.h>

struct sockaddr_un {
    sa_family_t sun_family;
    char sun_path[108];
};

#define SUN_LEN(address) (offsetof(struct sockaddr_un, sun_path) + strlen((address)->sun_path))

#endif
