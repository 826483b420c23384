// stride: -e trace=ioctl -a1
// Requests of seccomp listeners, pidfds, perf events and virtual machines. There is no descriptor, so all of them fail.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/kvm.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "request.h"

#define PIDFD_GET_INFO _IOC(_IOC_READ | _IOC_WRITE, 0xff, 11, 88)

int main(void)
{
	// (The number of getppid on x86-64, whose calls these are.)
	struct seccomp_notif call = { .id = 5, .data = { 110, 0xc000003e, 0, { 1, 2 } } }, empty = {};
	struct seccomp_notif_resp answer = { 5, 0, -13, 0 };
	struct seccomp_notif_addfd add = { 5, SECCOMP_ADDFD_FLAG_SETFD, 0, 9, O_CLOEXEC };
	unsigned long long id = 5, info[11] = { 5 };
	unsigned programs[4] = { 2 };
	struct kvm_userspace_memory_region memory = { 1, KVM_MEM_READONLY, 0x1000, 4096, (long) &memory };
#ifdef __x86_64__
	struct kvm_regs registers = { .rax = 2, .rbx = 3, .rip = 0x1000, .rflags = 2 };
#endif
	struct { unsigned n, pad; } none = {};

	chdir("MARKER");

	TRY(SECCOMP_IOCTL_NOTIF_RECV, &call, "{id=0x5, pid=0, flags=0, data={nr=__NR_getppid, arch=AUDIT_ARCH_X86_64, "
	    "instruction_pointer=NULL, args=[0x1, 0x2, 0, 0, 0, 0]}} => %p", &call);
	TRY(SECCOMP_IOCTL_NOTIF_RECV, &empty, "%p", &empty);
	TRY(SECCOMP_IOCTL_NOTIF_SEND, &answer, "{id=0x5, val=0, error=-EACCES, flags=0}");
	TRY(SECCOMP_IOCTL_NOTIF_ID_VALID, &id, "[0x5]");
	TRY(SECCOMP_IOCTL_NOTIF_ADDFD, &add, "{id=0x5, flags=SECCOMP_ADDFD_FLAG_SETFD, srcfd=0, newfd=9, newfd_flags=O_CLOEXEC}");
	TRY(PIDFD_GET_INFO, info, "{mask=PIDFD_INFO_PID|PIDFD_INFO_CGROUPID}");
	TRY(PERF_EVENT_IOC_QUERY_BPF, programs, "{ids_len=2, ...}");
	TRY(KVM_CHECK_EXTENSION, (long) KVM_CAP_USER_MEMORY, "KVM_CAP_USER_MEMORY");
	TRY(KVM_SET_USER_MEMORY_REGION, &memory,
	    "{slot=1, flags=KVM_MEM_READONLY, guest_phys_addr=0x1000, memory_size=4096, userspace_addr=%p}", &memory);
#ifdef __x86_64__
	TRY(KVM_SET_CPUID2, &none, "{nent=0, entries=[]}");
	TRY(KVM_SET_REGS, &registers, "{rax=0x2, ..., rsp=0, rbp=0, ..., rip=0x1000, rflags=0x2}");
#endif
	return 0;
}
