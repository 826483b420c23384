// stride: -e trace=setxattr,fsetxattr,getxattr,lgetxattr,listxattr,removexattr,setxattrat,getxattrat -a1
// Extended attributes: a NUL at the end of a value is not shown. Without room, only the length is asked for.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#define FILE_NAME "attributed"

struct args {
	uint64_t value;
	uint32_t size, flags;
	uint64_t more;
};

int main(void)
{
	char buf[64], *none = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open(FILE_NAME, O_CREAT | O_WRONLY, 0600);

	if (fd < 0 || fsetxattr(fd, "user.probe", "x", 1, 0)) {
		fprintf(stderr, "skip: no user attributes here\n");
		return 77;
	}
	fremovexattr(fd, "user.probe");
	chdir("MARKER");

	setxattr(FILE_NAME, "user.colour", "blue", 5, XATTR_CREATE);
	printf("setxattr(\"" FILE_NAME "\", \"user.colour\", \"blue\", 5, XATTR_CREATE) = 0\n");
	setxattr(FILE_NAME, "user.colour", "blue", 4, XATTR_CREATE);
	printf("setxattr(\"" FILE_NAME "\", \"user.colour\", \"blue\", 4, XATTR_CREATE) = -1 EEXIST (File exists)\n");
	fsetxattr(fd, "user.shape", "0123456789abcdef0123456789abcdefX", 33, 0);
	printf("fsetxattr(%d, \"user.shape\", \"0123456789abcdef0123456789abcdef\"..., 33, 0) = 0\n", fd);
	setxattr(FILE_NAME, none, none, 3, 4);
	printf("setxattr(\"" FILE_NAME "\", %p, %p, 3, 0x4 /* XATTR_??? */) = -1 EINVAL (Invalid argument)\n", none, none);
	getxattr(FILE_NAME, "user.colour", buf, 0);
	printf("getxattr(\"" FILE_NAME "\", \"user.colour\", %p, 0) = 5\n", buf);
	getxattr(FILE_NAME, "user.colour", buf, sizeof(buf));
	printf("getxattr(\"" FILE_NAME "\", \"user.colour\", \"blue\", 64) = 5\n");
	lgetxattr(FILE_NAME, "user.smell", buf, sizeof(buf));
	printf("lgetxattr(\"" FILE_NAME "\", \"user.smell\", %p, 64) = -1 ENODATA (No data available)\n", buf);
	removexattr(FILE_NAME, "user.shape");
	printf("removexattr(\"" FILE_NAME "\", \"user.shape\") = 0\n");
	listxattr(FILE_NAME, buf, sizeof(buf));
	printf("listxattr(\"" FILE_NAME "\", \"user.colour\\0\", 64) = 12\n");

	struct args args = { (uintptr_t) "red", 3, 0, 0x5a };
	if (syscall(463, AT_FDCWD, FILE_NAME, 0, "user.colour", &args, 16) == 0) {
		printf("setxattrat(AT_FDCWD, \"" FILE_NAME "\", 0, \"user.colour\", {value=\"red\", size=3, flags=0}, 16) = 0\n");
		syscall(463, AT_FDCWD, FILE_NAME, 0, "user.colour", &args, 24);
		printf("setxattrat(AT_FDCWD, \"" FILE_NAME "\", 0, \"user.colour\", {value=\"red\", size=3, flags=0, "
		       "/* bytes 16..23 */ \"\\x5a\\x00\\x00\\x00\\x00\\x00\\x00\\x00\"}, 24) = -1 E2BIG (Argument list too long)\n");
		args.value = (uintptr_t) buf;
		args.size = sizeof(buf);
		syscall(464, AT_FDCWD, FILE_NAME, 0, "user.colour", &args, 16);
		printf("getxattrat(AT_FDCWD, \"" FILE_NAME "\", 0, \"user.colour\", {value=\"red\", size=64, flags=0}, 16) = 3\n");
	} else {
		/* Before Linux 6.13. */
		printf("setxattrat(AT_FDCWD, \"" FILE_NAME "\", 0, \"user.colour\", {value=\"red\", size=3, flags=0}, 16) = -1 ENOSYS "
		       "(Function not implemented)\n");
	}
	fflush(stdout);
	_exit(0);
}
