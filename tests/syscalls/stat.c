// stride: -v -e trace=newfstatat,statx,statfs,utimensat -a1
// Files in full: devices show a number where others show a size, and times show their dates.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void date(long long sec, unsigned long nsec)
{
	char text[64];
	time_t t = sec;
	struct tm *tm = localtime(&t);

	if (!sec && !nsec)
		return;
	strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", tm);
	printf(" /* %s", text);
	if (nsec)
		printf(".%09lu", nsec);
	strftime(text, sizeof text, "%z", tm);
	printf("%s */", text);
}

static void show_time(const char *name, struct timespec t)
{
	printf(", st_%s=%lld", name, (long long)t.tv_sec);
	date(t.tv_sec, t.tv_nsec);
	printf(", st_%s_nsec=%ld", name, t.tv_nsec);
}

static unsigned major_of(unsigned long long dev) { return dev >> 8 & 0xfff; }
static unsigned minor_of(unsigned long long dev) { return (dev & 0xff) | (dev >> 12 & 0xfff00); }

static void device(const char *name, unsigned long long dev)
{
	printf("%s=makedev(%s%x, %s%x)", name, major_of(dev) ? "0x" : "", major_of(dev), minor_of(dev) ? "0x" : "", minor_of(dev));
}

static void show_stat(const char *type, const struct stat *st)
{
	device("{st_dev", st->st_dev);
	printf(", st_ino=%llu, st_mode=%s|%#o, st_nlink=%llu, st_uid=%u, st_gid=%u, st_blksize=%llu, st_blocks=%llu",
	       (unsigned long long)st->st_ino, type, st->st_mode & 0777, (unsigned long long)st->st_nlink, st->st_uid, st->st_gid,
	       (unsigned long long)st->st_blksize, (unsigned long long)st->st_blocks);
	if (S_ISCHR(st->st_mode))
		device(", st_rdev", st->st_rdev);
	else
		printf(", st_size=%llu", (unsigned long long)st->st_size);
	show_time("atime", st->st_atim);
	show_time("mtime", st->st_mtim);
	show_time("ctime", st->st_ctim);
	printf("}");
}

int main(void)
{
	char name[] = "stat-sample.XXXXXX";
	int fd = mkstemp(name);
	struct stat st;
	struct statx stx;
	struct timespec times[2] = { { 1700000000, 1234 }, { 0, 0 } };
	char *short_buf = (char *)mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + 4096 - 8;

	/* With this buffer, the C library makes no calls of its own in between. */
	static char out[16384];
	setvbuf(stdout, out, _IOFBF, sizeof out);
	localtime(&(time_t){ 0 });
	munmap(short_buf + 8, 4096);
	if (fd < 0 || ftruncate(fd, 5000000000))
		return 1;
	chdir("MARKER");

	utimensat(AT_FDCWD, name, times, 0);
	printf("utimensat(AT_FDCWD, \"%s\", [{tv_sec=1700000000, tv_nsec=1234}", name);
	date(1700000000, 1234);
	printf(", {tv_sec=0, tv_nsec=0}], 0) = 0\n");
	times[0].tv_nsec = UTIME_OMIT, times[1].tv_nsec = UTIME_OMIT;
	utimensat(AT_FDCWD, name, times, AT_SYMLINK_NOFOLLOW);
	printf("utimensat(AT_FDCWD, \"%s\", [UTIME_OMIT, UTIME_OMIT], AT_SYMLINK_NOFOLLOW) = 0\n", name);
	syscall(SYS_utimensat, AT_FDCWD, name, short_buf, 0);
	printf("utimensat(AT_FDCWD, \"%s\", %p, 0) = -1 EFAULT (Bad address)\n", name, short_buf);

	syscall(SYS_newfstatat, AT_FDCWD, name, &st, 0);
	printf("newfstatat(AT_FDCWD, \"%s\", ", name);
	show_stat("S_IFREG", &st);
	printf(", 0) = 0\n");
	syscall(SYS_newfstatat, AT_FDCWD, "/dev/null", &st, AT_NO_AUTOMOUNT);
	printf("newfstatat(AT_FDCWD, \"/dev/null\", ");
	show_stat("S_IFCHR", &st);
	printf(", AT_NO_AUTOMOUNT) = 0\n");
	syscall(SYS_newfstatat, AT_FDCWD, "", &st, 0);
	printf("newfstatat(AT_FDCWD, \"\", %p, 0) = -1 ENOENT (No such file or directory)\n", &st);
	syscall(SYS_newfstatat, fd, "", short_buf, AT_EMPTY_PATH);
	printf("newfstatat(%d, \"\", %p, AT_EMPTY_PATH) = -1 EFAULT (Bad address)\n", fd, short_buf);

	if (!statx(AT_FDCWD, "/no/such", 0x2000 | AT_EMPTY_PATH, STATX_UID, &stx))
		return 1;
	printf("statx(AT_FDCWD, \"/no/such\", AT_STATX_FORCE_SYNC|AT_EMPTY_PATH, STATX_UID, %p)"
	       " = -1 ENOENT (No such file or directory)\n", &stx);
	statx(AT_FDCWD, "/no/such", 0, STATX_BASIC_STATS | 0x1000, &stx);
	printf("statx(AT_FDCWD, \"/no/such\", AT_STATX_SYNC_AS_STAT, STATX_BASIC_STATS|STATX_MNT_ID, %p)"
	       " = -1 ENOENT (No such file or directory)\n", &stx);

	struct statfs sf;
	statfs("/proc/self", &sf);
	printf("statfs(\"/proc/self\", {f_type=PROC_SUPER_MAGIC, f_bsize=%ld, f_blocks=0, f_bfree=0, f_bavail=0, f_files=0, f_ffree=0,"
	       " f_fsid={val=[%s%x, %s%x]}, f_namelen=%ld, f_frsize=%ld, f_flags=", sf.f_bsize,
	       sf.f_fsid.__val[0] ? "0x" : "", sf.f_fsid.__val[0], sf.f_fsid.__val[1] ? "0x" : "", sf.f_fsid.__val[1],
	       sf.f_namelen, sf.f_frsize);
	static const struct { int bit; const char *name; } bits[] = {
		{ 0x20, "ST_VALID" }, { 1, "ST_RDONLY" }, { 2, "ST_NOSUID" }, { 4, "ST_NODEV" }, { 8, "ST_NOEXEC" }, { 0x400, "ST_NOATIME" },
		{ 0x800, "ST_NODIRATIME" }, { 0x1000, "ST_RELATIME" },
	};
	const char *between = "";
	for (int i = 0; i < sizeof bits / sizeof *bits; i++) {
		if (sf.f_flags & bits[i].bit) {
			printf("%s%s", between, bits[i].name);
			between = "|";
		}
	}
	printf("}) = 0\n");
	unlink(name);
	fflush(stdout);
	_exit(0);
}
