// stride: -e trace=setuid,setreuid,setresuid,getresuid,getresgid,getgroups,setgroups,setfsuid,capget,capset,geteuid -a1
// Credentials: ids with all bits set show as -1, groups are as many as there are, capabilities have names.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	unsigned ids[3], groups[64];
	int n, i, euid = geteuid();
	char *none = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t header[2] = { 0x20080522, 0 };
	uint32_t caps[6] = { 1 | 1 << 12, 1 << 12, 0, 1 << 7, 1 << 31, 0 };

	getresuid(&ids[0], &ids[1], &ids[2]);
	chdir("MARKER");

	syscall(SYS_getresuid, &ids[0], &ids[1], &ids[2]);
	printf("getresuid([%u], [%u], [%u]) = 0\n", ids[0], ids[1], ids[2]);
	syscall(SYS_getresgid, none, 0L, 0L);
	printf("getresgid(%p, NULL, NULL) = -1 EFAULT (Bad address)\n", none);
	syscall(SYS_setreuid, -1, -1);
	printf("setreuid(-1, -1) = 0\n");
	syscall(SYS_setresuid, -1, euid, -1);
	printf("setresuid(-1, %d, -1) = 0\n", euid);
	syscall(SYS_setuid, -1);
	printf("setuid(-1) = -1 EINVAL (Invalid argument)\n");
	i = syscall(SYS_setfsuid, -1);
	printf("setfsuid(-1) = %d\n", i);
	syscall(SYS_geteuid);
	printf("geteuid() = %d\n", euid);

	n = syscall(SYS_getgroups, 64, groups);
	printf("getgroups(64, [");
	for (i = 0; i < n; i++)
		printf(i ? ", %u" : "%u", groups[i]);
	printf("]) = %d\n", n);
	syscall(SYS_getgroups, -1, groups);
	printf("getgroups(-1, %p) = -1 EINVAL (Invalid argument)\n", groups);
	syscall(SYS_setgroups, 1, none);
	printf(euid ? "setgroups(1, %p) = -1 EPERM (Operation not permitted)\n"
		    : "setgroups(1, %p) = -1 EFAULT (Bad address)\n", none);

	header[1] = -1;
	syscall(SYS_capset, header, caps);
	printf("capset({version=_LINUX_CAPABILITY_VERSION_3, pid=-1}, {effective=1<<CAP_CHOWN|1<<CAP_NET_ADMIN|1<<CAP_BPF, "
	       "permitted=1<<CAP_NET_ADMIN|0x80000000 /* CAP_??? */, inheritable=0}) = -1 EPERM (Operation not permitted)\n");
	unsigned unknown[2] = { 0xbadc0ded, 1 };
	syscall(SYS_capset, unknown, 0L);
	printf("capset({version=0xbadc0ded /* _LINUX_CAPABILITY_VERSION_??? */, pid=1}, NULL) = -1 EINVAL (Invalid argument)\n");
	syscall(SYS_capget, 0L, caps);
	printf("capget(NULL, %p) = -1 EFAULT (Bad address)\n", caps);
	// Without the whole header the kernel looks at no data.
	char *part = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(part + 4096, 4096);
	memcpy(part + 4096 - 6, header, 4);
	syscall(SYS_capset, part + 4096 - 6, caps);
	printf("capset(%p, %p) = -1 EFAULT (Bad address)\n", part + 4096 - 6, caps);
	syscall(SYS_capset, none, caps);
	printf("capset(%p, %p) = -1 EFAULT (Bad address)\n", none, caps);
	fflush(stdout);
	_exit(0);
}
