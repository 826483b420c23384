// stride: -e trace=read,write,close -a1
// Transfers show the transferred bytes, cut at 32, or a pointer if there were none.
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
	int fds[2];
	char buf[64];
	char *none = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pipe(fds))
		return 1;
	chdir("MARKER");

	write(fds[1], "abc\n\0\1\0019\"\\\377", 11);
	printf("write(%d, \"abc\\n\\0\\1\\19\\\"\\\\\\377\", 11) = 11\n", fds[1]);
	read(fds[0], buf, 5);
	printf("read(%d, \"abc\\n\\0\", 5) = 5\n", fds[0]);
	write(fds[1], "0123456789abcdef0123456789abcdefX", 33);
	printf("write(%d, \"0123456789abcdef0123456789abcdef\"..., 33) = 33\n", fds[1]);
	write(fds[1], none, 7);
	printf("write(%d, %p, 7) = -1 EFAULT (Bad address)\n", fds[1], none);
	write(fds[1], NULL, 0);
	printf("write(%d, NULL, 0) = 0\n", fds[1]);
	write(-1, "x", 1);
	printf("write(-1, \"x\", 1) = -1 EBADF (Bad file descriptor)\n");
	read(fds[0], none, 4);
	printf("read(%d, %p, 4) = -1 EFAULT (Bad address)\n", fds[0], none);
	close(fds[0]);
	printf("close(%d) = 0\n", fds[0]);
	close(fds[1]);
	printf("close(%d) = 0\n", fds[1]);
	fflush(stdout);
	_exit(0);
}
