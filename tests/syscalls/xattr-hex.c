// stride: -e trace=setxattr,getxattr -x -a1
// A NUL at the end of an attribute's value is left out, but not in hexadecimal. With -x it is a reason for hexadecimal.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#define FILE_NAME "a"

int main(void)
{
	char buf[64];
	int fd = open(FILE_NAME, O_CREAT | O_WRONLY, 0600);

	if (fd < 0 || fsetxattr(fd, "user.p", "x", 1, 0)) {
		fprintf(stderr, "skip: no user attributes here\n");
		return 77;
	}
	chdir("MARKER");

	setxattr(FILE_NAME, "user.p", "red", 4, 0);
	printf("setxattr(\"a\", \"user.p\", \"\\x72\\x65\\x64\\x00\", 4, 0) = 0\n");
	getxattr(FILE_NAME, "user.p", buf, sizeof(buf));
	printf("getxattr(\"a\", \"user.p\", \"\\x72\\x65\\x64\\x00\", 64) = 4\n");
	setxattr(FILE_NAME, "user.p", "red", 3, 0);
	printf("setxattr(\"a\", \"user.p\", \"red\", 3, 0) = 0\n");
	fflush(stdout);
	_exit(0);
}
