// stride: -e trace=openat,openat2,?creat,?mkdir,?rmdir,unlinkat,renameat2,linkat,?symlink,?readlink,?chmod,mknodat,?access,faccessat2,getcwd,umask,close_range,truncate -a1
// Names and their flags: a call that creates shows a mode, and an unknown flag shows its number.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NO_FILE "/no/such/dir/file"
#define ENOENT_TEXT " = -1 ENOENT (No such file or directory)\n"

int main(void)
{
	char cwd[4096], buf[64];
	/* A path that ends with its page, without a NUL. */
	char *open_end = (char *)mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + 4096 - 3;
	munmap(open_end + 3, 4096);
	memcpy(open_end, "abc", 3);

	if (!getcwd(cwd, sizeof cwd) || strpbrk(cwd, "\"\\\n")) {
		fputs("skip: the path of this directory needs escapes\n", stderr);
		return 77;
	}
	umask(022);
	chdir("MARKER");

	syscall(SYS_openat, AT_FDCWD, NO_FILE, O_RDONLY, 0644);
	printf("openat(AT_FDCWD, \"%s\", O_RDONLY)" ENOENT_TEXT, NO_FILE);
	syscall(SYS_openat, AT_FDCWD, NO_FILE, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	printf("openat(AT_FDCWD, \"%s\", O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC, 0644)" ENOENT_TEXT, NO_FILE);
	syscall(SYS_openat, -5, "x", O_RDWR | O_TMPFILE | O_SYNC, 0);
	printf("openat(-5, \"x\", O_RDWR|O_SYNC|O_TMPFILE, 000) = -1 EBADF (Bad file descriptor)\n");
	syscall(SYS_openat, AT_FDCWD, NO_FILE, O_ACCMODE | O_NONBLOCK | O_DIRECTORY | 0x80000000);
	printf("openat(AT_FDCWD, \"%s\", O_ACCMODE|O_NONBLOCK|O_DIRECTORY|0x80000000)" ENOENT_TEXT, NO_FILE);
	syscall(SYS_openat, AT_FDCWD, open_end, O_RDONLY);
	printf("openat(AT_FDCWD, %p, O_RDONLY) = -1 EFAULT (Bad address)\n", open_end);
	syscall(SYS_openat, AT_FDCWD, NULL, O_RDONLY);
	printf("openat(AT_FDCWD, NULL, O_RDONLY) = -1 EFAULT (Bad address)\n");

	struct { unsigned long long flags, mode, resolve, more; } how = { O_RDONLY, 0, 0x8, 0 };
	syscall(SYS_openat2, AT_FDCWD, NO_FILE, &how, 24);
	printf("openat2(AT_FDCWD, \"%s\", {flags=O_RDONLY, resolve=RESOLVE_BENEATH}, 24) = -1 %s\n", NO_FILE,
	       "EXDEV (Invalid cross-device link)");
	how.mode = 04644, how.resolve = 0, how.more = 1;
	syscall(SYS_openat2, AT_FDCWD, NO_FILE, &how, 32);
	printf("openat2(AT_FDCWD, \"%s\", {flags=O_RDONLY, mode=04644, resolve=0, /* bytes 24..31 */ \"%s\"}, 32) = -1 %s\n",
	       NO_FILE, "\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00", "E2BIG (Argument list too long)");

#ifdef SYS_creat
	syscall(SYS_creat, NO_FILE, 01777);
	printf("creat(\"%s\", 01777)" ENOENT_TEXT, NO_FILE);
	mkdir(NO_FILE, 0755);
	printf("mkdir(\"%s\", 0755)" ENOENT_TEXT, NO_FILE);
	rmdir(NO_FILE);
	printf("rmdir(\"%s\")" ENOENT_TEXT, NO_FILE);
#endif
	unlinkat(AT_FDCWD, NO_FILE, AT_REMOVEDIR);
	printf("unlinkat(AT_FDCWD, \"%s\", AT_REMOVEDIR)" ENOENT_TEXT, NO_FILE);
	syscall(SYS_renameat2, AT_FDCWD, NO_FILE, -1, "b\n", 1 | 2);
	printf("renameat2(AT_FDCWD, \"%s\", -1, \"b\\n\", RENAME_NOREPLACE|RENAME_EXCHANGE) = -1 EINVAL (Invalid argument)\n", NO_FILE);
	linkat(AT_FDCWD, NO_FILE, AT_FDCWD, "b", AT_SYMLINK_FOLLOW);
	printf("linkat(AT_FDCWD, \"%s\", AT_FDCWD, \"b\", AT_SYMLINK_FOLLOW)" ENOENT_TEXT, NO_FILE);
#ifdef SYS_symlink
	symlink("a \\ target", NO_FILE);
	printf("symlink(\"a \\\\ target\", \"%s\")" ENOENT_TEXT, NO_FILE);
	readlink("/proc/self/cwd", buf, 4);
	printf("readlink(\"/proc/self/cwd\", \"%.4s\", 4) = 4\n", cwd);
	readlink(NO_FILE, buf, 4);
	printf("readlink(\"%s\", %p, 4)" ENOENT_TEXT, NO_FILE, buf);
	chmod(NO_FILE, 06755);
	printf("chmod(\"%s\", 06755)" ENOENT_TEXT, NO_FILE);
#endif
	syscall(SYS_mknodat, AT_FDCWD, NO_FILE, S_IFCHR | S_ISUID | 0600, (5 << 8) | 3);
	printf("mknodat(AT_FDCWD, \"%s\", S_IFCHR|S_ISUID|0600, makedev(0x5, 0x3))" ENOENT_TEXT, NO_FILE);
	syscall(SYS_mknodat, AT_FDCWD, NO_FILE, S_IFIFO | 0600, 3);
	printf("mknodat(AT_FDCWD, \"%s\", S_IFIFO|0600)" ENOENT_TEXT, NO_FILE);
#ifdef SYS_access
	access("/", R_OK | X_OK);
	printf("access(\"/\", R_OK|X_OK) = 0\n");
	access("/", 8);
	printf("access(\"/\", 0x8 /* ?_OK */) = -1 EINVAL (Invalid argument)\n");
#endif
	syscall(SYS_faccessat2, AT_FDCWD, "/", F_OK, AT_EACCESS | 1);
	printf("faccessat2(AT_FDCWD, \"/\", F_OK, AT_EACCESS|0x1) = -1 EINVAL (Invalid argument)\n");
	truncate(NO_FILE, -1);
	printf("truncate(\"%s\", 18446744073709551615) = -1 EINVAL (Invalid argument)\n", NO_FILE);

	getcwd(buf, 1);
	printf("getcwd(%p, 1) = -1 ERANGE (Numerical result out of range)\n", buf);
	static char room[4096];
	syscall(SYS_getcwd, room, sizeof room);
	printf("getcwd(\"%s\", 4096) = %zu\n", cwd, strlen(cwd) + 1);
	umask(0177777 & 077);
	printf("umask(077) = 022\n");
	syscall(SYS_close_range, 900u, -1u, 4 | 8);
	printf("close_range(900, 4294967295, CLOSE_RANGE_CLOEXEC|0x8) = -1 EINVAL (Invalid argument)\n");
	fflush(stdout);
	_exit(0);
}
