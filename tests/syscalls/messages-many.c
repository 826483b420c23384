// stride: -e trace=sendmmsg -v -a1
// The most messages that one call may have, each with a name and a buffer: more than fits into one record.
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { MANY = 1024 };

static struct mmsghdr heads[MANY];
static struct iovec buffers[MANY];
static struct sockaddr_un names[MANY];
static char bytes[MANY];

int main(void)
{
	for (int i = 0; i < MANY; i++) {
		bytes[i] = 'a' + i % 26;
		buffers[i] = (struct iovec) { &bytes[i], 1 };
		names[i].sun_family = AF_UNIX;
		sprintf(names[i].sun_path, "name-%d", i);
		heads[i].msg_hdr = (struct msghdr) {
			.msg_name = &names[i], .msg_namelen = sizeof(names[i]), .msg_iov = &buffers[i], .msg_iovlen = 1
		};
	}
	chdir("MARKER");
	syscall(SYS_sendmmsg, -1, heads, MANY, 0);
	printf("sendmmsg(-1, [");
	for (int i = 0; i < MANY; i++)
		printf("%s{msg_hdr={msg_name={sa_family=AF_UNIX, sun_path=\"name-%d\"}, msg_namelen=110, "
		       "msg_iov=[{iov_base=\"%c\", iov_len=1}], msg_iovlen=1, msg_controllen=0, msg_flags=0}}",
		       i ? ", " : "", i, bytes[i]);
	printf("], 1024, 0) = -1 EBADF (Bad file descriptor)\n");
	return 0;
}
