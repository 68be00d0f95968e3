/* Network interfaces, declared. */
#ifndef SYMCRETE_NET_IF_H
#define SYMCRETE_NET_IF_H

#include <sys/socket.h>

#define IFNAMSIZ 16
#define IF_NAMESIZE 16
#define IFF_UP 1
#define IFF_BROADCAST 2
#define IFF_LOOPBACK 8
#define IFF_POINTOPOINT 0x10
#define IFF_RUNNING 0x40
#define IFF_PROMISC 0x100
#define IFF_MULTICAST 0x1000
#define SIOCGIFCONF 0x8912
#define SIOCGIFFLAGS 0x8913
#define SIOCSIFFLAGS 0x8914
#define SIOCGIFADDR 0x8915
#define SIOCGIFNETMASK 0x891b
#define SIOCGIFHWADDR 0x8927
#define SIOCGIFINDEX 0x8933

struct ifreq {
    char ifr_name[IFNAMSIZ];
    union {
        struct sockaddr ifr_addr;
        struct sockaddr ifr_dstaddr;
        struct sockaddr ifr_broadaddr;
        struct sockaddr ifr_netmask;
        struct sockaddr ifr_hwaddr;
        short ifr_flags;
        int ifr_ifindex;
        int ifr_mtu;
        char *ifr_data;
    };
};

struct ifconf {
    int ifc_len;
    union {
        char *ifc_buf;
        struct ifreq *ifc_req;
    };
};

struct if_nameindex {
    unsigned if_index;
    char *if_name;
};

unsigned if_nametoindex(const char *);
char *if_indextoname(unsigned, char *);
struct if_nameindex *if_nameindex(void);
void if_freenameindex(struct if_nameindex *);

#endif
