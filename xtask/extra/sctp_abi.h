/* linux/sctp.h does not compile without these two, which it expects from the C library. */
#include "socket_abi.h"
#define sockaddr_storage __kernel_sockaddr_storage
#ifndef MSG_FIN
#define MSG_FIN 0x200 /* include/linux/socket.h */
#endif
#include <linux/sctp.h>
