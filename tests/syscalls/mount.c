// stride: -e trace=mount,umount2,fsopen,fsconfig,mount_setattr,quotactl,swapon,acct -a1
// Calls around mounting that fail at once. Their flags decide which arguments are read.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "result.h"

struct attr {
	uint64_t set, clear, propagation, userns;
};

int main(void)
{
	char *none = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const char *here = "no/such/place", *type = "ext4";

	chdir("MARKER");

	mount("src", here, type, MS_RDONLY | MS_NOEXEC, "quota");
	printf("mount(\"src\", \"%s\", \"ext4\", MS_RDONLY|MS_NOEXEC, \"quota\") = -1 ENOENT (No such file or directory)\n", here);
	mount("src", here, type, MS_BIND | MS_REC, "ignored");
	printf("mount(\"src\", \"%s\", %p, MS_BIND|MS_REC, %p) = -1 ENOENT (No such file or directory)\n", here, type, "ignored");
	mount(NULL, here, type, MS_REMOUNT, "ro");
	printf("mount(NULL, \"%s\", %p, MS_REMOUNT, \"ro\") = -1 ENOENT (No such file or directory)\n", here, type);
	mount(none, here, NULL, 0xc0ed0001, NULL);
	printf("mount(%p, \"%s\", NULL, MS_MGC_VAL|MS_RDONLY, NULL) = -1 EFAULT (Bad address)\n", none, here);
	umount2(here, MNT_DETACH | 0x40);
	printf("umount2(\"%s\", MNT_DETACH|0x40) = -1 EINVAL (Invalid argument)\n", here);
	syscall(SYS_fsopen, "nosuchfs", 1);
	printf("fsopen(\"nosuchfs\", FSOPEN_CLOEXEC) = -1 ENODEV (No such device)\n");
	syscall(SYS_fsconfig, -1, 1, "source", "/dev/null", 0);
	printf("fsconfig(-1, FSCONFIG_SET_STRING, \"source\", \"/dev/null\", 0) = -1 EINVAL (Invalid argument)\n");
	syscall(SYS_fsconfig, -1, 2, "blob", "ab", 2);
	printf("fsconfig(-1, FSCONFIG_SET_BINARY, \"blob\", \"\\x61\\x62\", 2) = -1 EINVAL (Invalid argument)\n");
	syscall(SYS_fsconfig, -1, 6, NULL, NULL, 0);
	printf("fsconfig(-1, FSCONFIG_CMD_CREATE, NULL, NULL, 0) = -1 EINVAL (Invalid argument)\n");
	struct attr attr = { 0x100001, 0x4, MS_SLAVE, -1 };
	// (Linux 5.10 has no such call.)
	long r = syscall(SYS_mount_setattr, -1, here, 0x1000, &attr, sizeof(attr));
	printf("mount_setattr(-1, \"%s\", AT_EMPTY_PATH, {attr_set=MOUNT_ATTR_RDONLY|MOUNT_ATTR_IDMAP, "
	       "attr_clr=MOUNT_ATTR_NODEV, propagation=MS_SLAVE, userns_fd=-1}, 32) = %s\n", here, result(r));
	r = syscall(SYS_mount_setattr, -1, here, 0, &attr, 31);
	printf("mount_setattr(-1, \"%s\", 0, %p, 31) = %s\n", here, &attr, result(r));
	syscall(SYS_quotactl, 0x80000700, here, 0, none);
	printf("quotactl(QCMD(Q_GETQUOTA, USRQUOTA), \"%s\", 0, %p) = -1 ENOENT (No such file or directory)\n", here, none);
	syscall(SYS_quotactl, 0x80000201, here, 1, "aquota");
	printf("quotactl(QCMD(Q_QUOTAON, GRPQUOTA), \"%s\", QFMT_VFS_OLD, \"aquota\") = -1 ENOENT (No such file or directory)\n", here);
	swapon(here, SWAP_FLAG_PREFER | 7);
	printf("swapon(\"%s\", SWAP_FLAG_PREFER|7) = -1 ENOENT (No such file or directory)\n", here);
	syscall(SYS_acct, none);
	printf("acct(%p) = -1 EFAULT (Bad address)\n", none);
	fflush(stdout);
	_exit(0);
}
