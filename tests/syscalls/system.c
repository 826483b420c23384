// stride: -e trace=uname,sethostname,getrandom,getcpu,personality,syslog,reboot,init_module,finit_module,delete_module,kexec_load,kexec_file_load,membarrier,?vserver,?afs_syscall -a1
// The machine: its names, modules, reboot, personalities; and calls that no kernel implements.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void)
{
	struct utsname names;
	unsigned char some[4];
	unsigned cpu, node;
	long commands;
	char *none = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static char buffer[BUFSIZ];

	/* Without this buffer, the C library's allocator would ask for random bytes. */
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	chdir("MARKER");

	syscall(SYS_uname, &names);
	printf("uname({sysname=\"%s\", nodename=\"%s\", ...}) = 0\n", names.sysname, names.nodename);
	syscall(SYS_uname, none);
	printf("uname(%p) = -1 EFAULT (Bad address)\n", none);
	syscall(SYS_sethostname, none, 65);
	printf("sethostname(%p, 65) = -1 EINVAL (Invalid argument)\n", none);
	syscall(SYS_getrandom, some, 4L, 3);
	syscall(SYS_getrandom, some, 4L, 9);
	printf("getrandom(\"\\x%02x\\x%02x\\x%02x\\x%02x\", 4, GRND_NONBLOCK|GRND_RANDOM) = 4\n"
	       "getrandom(%p, 4, GRND_NONBLOCK|0x8) = -1 EINVAL (Invalid argument)\n",
	       some[0], some[1], some[2], some[3], some);
	syscall(SYS_getcpu, &cpu, &node, 0L);
	printf("getcpu([%u], [%u], NULL) = 0\n", cpu, node);
	syscall(SYS_personality, 0x40000L);
	syscall(SYS_personality, 0xffffffffL);
	printf("personality(PER_LINUX|ADDR_NO_RANDOMIZE) = 0 (PER_LINUX)\n"
	       "personality(0xffffffff) = 0x40000 (PER_LINUX|ADDR_NO_RANDOMIZE)\n");
	syscall(SYS_syslog, 99, "x", -1);
	printf("syslog(99 /* SYSLOG_ACTION_??? */, %p, -1) = -1 EINVAL (Invalid argument)\n", "x");
	syscall(SYS_syslog, 3, none, -5);
	printf("syslog(3 /* SYSLOG_ACTION_READ_ALL */, %p, -5) = -1 EINVAL (Invalid argument)\n", none);
	syscall(SYS_reboot, 1, 672274793, 0xa1b2c3d4, "again");
	printf("reboot(0x1 /* LINUX_REBOOT_MAGIC1??? */, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_RESTART2, \"again\") = "
	       "-1 %s\n", geteuid() ? "EPERM (Operation not permitted)" : "EINVAL (Invalid argument)");
	syscall(SYS_reboot, 1, 672274793, 0xa1b2c3d4, "a name of a kernel image that is longer than what is shown");
	printf("reboot(0x1 /* LINUX_REBOOT_MAGIC1??? */, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_RESTART2, \"a name of a kernel image that is\"...) = "
	       "-1 %s\n", geteuid() ? "EPERM (Operation not permitted)" : "EINVAL (Invalid argument)");
	commands = syscall(SYS_membarrier, 0, 0, 0);
	if (commands > 0 && commands & 1)
		printf("membarrier(MEMBARRIER_CMD_QUERY, 0) = %#lx (MEMBARRIER_CMD_GLOBAL", commands);
	printf(commands & 2 ? "|MEMBARRIER_CMD_GLOBAL_EXPEDITED" : "");
	printf(commands & 4 ? "|MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED" : "");
	printf(commands & 8 ? "|MEMBARRIER_CMD_PRIVATE_EXPEDITED" : "");
	printf(commands & 16 ? "|MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED" : "");
	printf(commands & 32 ? "|MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE" : "");
	printf(commands & 64 ? "|MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE" : "");
	printf(commands & 128 ? "|MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ" : "");
	printf(commands & 256 ? "|MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ" : "");
	printf(commands & 512 ? "|MEMBARRIER_CMD_GET_REGISTRATIONS)\n" : ")\n");
	syscall(SYS_membarrier, 3, 1, -1);
	printf("membarrier(0x3 /* MEMBARRIER_CMD_??? */, MEMBARRIER_CMD_FLAG_CPU, -1) = -1 EINVAL (Invalid argument)\n");
#ifdef __x86_64__
	syscall(SYS_vserver, 1L, 2L, 0L, 4L, 5L);
	printf("vserver(0x1, 0x2, 0, 0x4, 0x5) = -1 ENOSYS (Function not implemented)\n");
	syscall(SYS_afs_syscall, 0L, 0L, 0L, 0L, ~0UL);
	printf("afs_syscall(0, 0, 0, 0, 0xffffffffffffffff) = -1 ENOSYS (Function not implemented)\n");
#endif
	fflush(stdout);
	_exit(0);
}
