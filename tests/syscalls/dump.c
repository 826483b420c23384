// stride: -e trace=read,write,writev -e read=0 -e write=9 -a1
// Transfers of chosen descriptors are dumped in full after their call.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static char large[300000], output[2 << 20];

static void dump(const char *bytes, int n)
{
	for (int at = 0; at < n; at += 16) {
		printf(" | %05x ", at);
		for (int i = at; i < at + 16; i++)
			printf(&" %02x\0  %02x"[i == at + 8 ? 6 : 0], (unsigned char)bytes[i]);
		printf("  ");
		for (int i = at; i < at + 16; i++)
			putchar(bytes[i] >= ' ' && bytes[i] < 127 ? bytes[i] : '.');
		printf(" |\n");
	}
}

int main(void)
{
	int p[2];
	char buf[40];

	if (pipe(p))
		return 1;
	dup2(p[0], 0);
	dup2(p[1], 9);
	setvbuf(stdout, output, _IOFBF, sizeof(output));
	chdir("MARKER");

	write(9, "The quick brown fox\n\377", 21);
	printf("write(9, \"The quick brown fox\\n\\377\", 21) = 21\n"
	     " | 00000  54 68 65 20 71 75 69 63  6b 20 62 72 6f 77 6e 20  The quick brown  |\n"
	     " | 00010  66 6f 78 0a ff                                    fox..            |\n");
	/* A string longer than the shown part. */
	write(9, "0123456789abcdef0123456789abcdef0123", 36);
	printf("write(9, \"0123456789abcdef0123456789abcdef\"..., 36) = 36\n"
	     " | 00000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  0123456789abcdef |\n"
	     " | 00010  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  0123456789abcdef |\n"
	     " | 00020  30 31 32 33                                       0123             |\n");
	read(0, buf, 8);
	printf("read(0, \"The quic\", 8) = 8\n"
	     " | 00000  54 68 65 20 71 75 69 63                           The quic         |\n");
	struct iovec v[] = { { "ab", 2 }, { "c", 1 } };
	writev(9, v, 2);
	printf("writev(9, [{iov_base=\"ab\", iov_len=2}, {iov_base=\"c\", iov_len=1}], 2) = 3\n"
	     " * 2 bytes in buffer 0\n"
	     " | 00000  61 62                                             ab               |\n"
	     " * 1 bytes in buffer 1\n"
	     " | 00000  63                                                c                |\n");
	write(9, (char *)8, 3);
	printf("write(9, 0x8, 3) = -1 EFAULT (Bad address)\n");
	write(p[1], "x", 1);
	printf("write(%d, \"x\", 1) = 1\n", p[1]);
	/* More than fits into one record. */
	dup2(open("/dev/null", O_WRONLY), 9);
	for (unsigned i = 0; i < sizeof(large); i++)
		large[i] = i + i / 256 + i / 65536;
	write(9, large, sizeof(large));
	printf("write(9, \"\\0\\1\\2\\3\\4\\5\\6\\7\\10\\t\\n\\v\\f\\r\\16\\17\\20\\21\\22\\23\\24\\25\\26\\27\\30\\31\\32\\33\\34\\35\\36\\37\"..., 300000) = 300000\n");
	dump(large, sizeof(large));
	fflush(stdout);
	_exit(0);
}
