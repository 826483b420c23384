// stride: -e trace=ioctl -a1
// Requests by name: terminals, interfaces, files. Unknown numbers are taken apart.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/if_tun.h>
#include <linux/input.h>
#include <mtd/mtd-user.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

int main(void)
{
	char *none = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY), sock = socket(AF_INET, SOCK_DGRAM, 0), on = 1;
	struct winsize size = { 24, 80, 0, 0 };
	struct ifreq request = { .ifr_name = "lo" };
	uint64_t range[2] = { 0, 4096 };

	if (terminal < 0 || sock < 0) {
		fprintf(stderr, "skip: no terminals or no network\n");
		return 77;
	}
	chdir("MARKER");

	ioctl(terminal, TIOCSWINSZ, &size);
	printf("ioctl(%d, TIOCSWINSZ, {ws_row=24, ws_col=80, ws_xpixel=0, ws_ypixel=0}) = 0\n", terminal);
	ioctl(terminal, TIOCGWINSZ, &size);
	printf("ioctl(%d, TIOCGWINSZ, {ws_row=24, ws_col=80, ws_xpixel=0, ws_ypixel=0}) = 0\n", terminal);
	ioctl(terminal, TCGETS, none);
	printf("ioctl(%d, TCGETS, %p) = -1 EFAULT (Bad address)\n", terminal, none);
	ioctl(-1, TCSETSW, NULL);
	printf("ioctl(-1, SNDCTL_TMR_STOP or TCSETSW, NULL) = -1 EBADF (Bad file descriptor)\n");
	ioctl(terminal, TCFLSH, TCIOFLUSH);
	printf("ioctl(%d, TCFLSH, TCIOFLUSH) = 0\n", terminal);
	ioctl(sock, FIONBIO, &on);
	printf("ioctl(%d, FIONBIO, [1]) = 0\n", sock);
	ioctl(sock, FIOCLEX);
	printf("ioctl(%d, FIOCLEX) = 0\n", sock);
	ioctl(sock, SIOCGIFINDEX, &request);
	printf("ioctl(%d, SIOCGIFINDEX, {ifr_name=\"lo\", ifr_ifindex=%d}) = 0\n", sock, request.ifr_ifindex);
	strcpy(request.ifr_name, "nosuch0");
	ioctl(sock, SIOCGIFFLAGS, &request);
	printf("ioctl(%d, SIOCGIFFLAGS, {ifr_name=\"nosuch0\"}) = -1 ENODEV (No such device)\n", sock);
	ioctl(-1, BLKDISCARD, range);
	printf("ioctl(-1, BLKDISCARD, [0, 4096]) = -1 EBADF (Bad file descriptor)\n");
	ioctl(-1, FS_IOC_GETFLAGS, &on);
	printf("ioctl(-1, FS_IOC_GETFLAGS, %p) = -1 EBADF (Bad file descriptor)\n", &on);
	ioctl(-1, 0x81004506, &on);
	printf("ioctl(-1, EVIOCGNAME(256), %p) = -1 EBADF (Bad file descriptor)\n", &on);
	ioctl(-1, 0x4004fe07, 5);
	printf("ioctl(-1, _IOC(_IOC_WRITE, 0xfe, 0x7, 0x4), 0x5) = -1 EBADF (Bad file descriptor)\n");
	// Requests whose argument is a number that the kernel does not look at, an address of another kind than Ethernet's, and a new axis.
	ioctl(-1, TUNSETNOCSUM, 85764);
	printf("ioctl(-1, TUNSETNOCSUM, 0x14f04) = -1 EBADF (Bad file descriptor)\n");
	memset(&request.ifr_hwaddr, 0x5a, sizeof(request.ifr_hwaddr));
	request.ifr_hwaddr.sa_family = ARPHRD_NETROM;
	ioctl(-1, SIOCSIFHWADDR, &request);
	printf("ioctl(-1, SIOCSIFHWADDR, {ifr_name=\"nosuch0\", ifr_hwaddr={sa_family=ARPHRD_NETROM, sa_data=5a:5a:5a:5a:5a:5a:5a}}) = "
	       "-1 EBADF (Bad file descriptor)\n");
	request.ifr_hwaddr.sa_family = 0x9e6c;
	ioctl(-1, SIOCSIFHWADDR, &request);
	printf("ioctl(-1, SIOCSIFHWADDR, {ifr_name=\"nosuch0\", ifr_hwaddr={sa_family=0x9e6c /* ARPHRD_??? */, "
	       "sa_data=5a:5a:5a:5a:5a:5a:5a:5a:5a:5a:5a:5a:5a:5a}}) = -1 EBADF (Bad file descriptor)\n");
	ioctl(-1, EVIOCGABS(0x22), &on);
	printf("ioctl(-1, EVIOCGABS(ABS_SND_PROFILE), %p) = -1 EBADF (Bad file descriptor)\n", &on);
	struct mtd_oob_buf64 spare = { 0xff };
	ioctl(-1, MEMWRITEOOB64, &spare);
	printf("ioctl(-1, MEMWRITEOOB64, {start=0xff, length=0, usr_ptr=NULL}) = -1 EBADF (Bad file descriptor)\n");
	fflush(stdout);
	_exit(0);
}
