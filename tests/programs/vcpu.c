// Runs a virtual CPU with the id 0 until it halts. It writes a byte to a port before. Exits with 77 if there is no KVM here.
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

int main(void)
{
#ifdef __x86_64__
	// In real mode: out %al, $0x42; hlt
	static const unsigned char code[] = { 0xe6, 0x42, 0xf4 };
	int kvm = open("/dev/kvm", O_RDWR);
	int vm = ioctl(kvm, KVM_CREATE_VM, 0);
	if (vm < 0)
		return 77;
	unsigned char *memory = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memcpy(memory, code, sizeof code);
	struct kvm_userspace_memory_region region = { 0, 0, 4096, 4096, (long) memory };
	ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region);
	int cpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	struct kvm_run *run = mmap(0, ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0), PROT_READ | PROT_WRITE, MAP_SHARED, cpu, 0);
	struct kvm_sregs system;
	struct kvm_regs registers = { .rip = 4096, .rax = 0x17, .rflags = 2 };
	if (cpu < 0 || run == MAP_FAILED || ioctl(cpu, KVM_GET_SREGS, &system) < 0)
		return 77;
	system.cs.base = system.cs.selector = 0;
	ioctl(cpu, KVM_SET_SREGS, &system);
	ioctl(cpu, KVM_SET_REGS, &registers);
	do {
		if (ioctl(cpu, KVM_RUN, 0) < 0)
			return 77;
	} while (run->exit_reason == KVM_EXIT_IO);
	return run->exit_reason != KVM_EXIT_HLT;
#else
	return 77;
#endif
}
