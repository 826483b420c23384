// stride: -e trace=ioctl -a1
// Terminals share some requests with sound cards. The descriptor decides which one is meant.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <asm/termbits.h>
#include <unistd.h>

int main(void)
{
	int null = open("/dev/null", O_RDWR), pty = posix_openpt(O_RDWR | O_NOCTTY);

	if (pty < 0) {
		fprintf(stderr, "no terminals here\n");
		return 77;
	}
	chdir("MARKER");

	ioctl(pty, TCSETS, 0L);
	printf("ioctl(%d, TCSETS, NULL) = -1 EFAULT (Bad address)\n", pty);
	ioctl(null, TCSETS, 0L);
	printf("ioctl(%d, SNDCTL_TMR_START or TCSETS, NULL) = -1 ENOTTY (Inappropriate ioctl for device)\n", null);
	// The descriptor is closed and the process gone when the call is decoded.
	fflush(stdout);
	_exit(0);
}
