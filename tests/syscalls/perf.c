// stride: -e trace=perf_event_open,bpf -a1
// Counters: the type decides how the counted event is spelt, and bits are shown where they are set.
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	struct perf_event_attr attr = { .type = 3, .size = 64, .config = 1 << 16 | 1 << 8, .sample_period = 5 };
	char *none = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	attr.sample_type = 1ULL << 62;
	attr.disabled = attr.precise_ip = 1;
	chdir("MARKER");

	syscall(SYS_perf_event_open, &attr, -1, -1, -1, 0x10L);
	printf("perf_event_open({type=PERF_TYPE_HW_CACHE, size=PERF_ATTR_SIZE_VER0, "
	       "config=PERF_COUNT_HW_CACHE_RESULT_MISS<<16|PERF_COUNT_HW_CACHE_OP_WRITE<<8|PERF_COUNT_HW_CACHE_L1D, "
	       "sample_period=5, sample_type=0x4000000000000000 /* PERF_SAMPLE_??? */, read_format=0, disabled=1, "
	       "precise_ip=1 /* constant skid */, ...}, -1, -1, -1, 0x10 /* PERF_FLAG_??? */) = -1 EINVAL (Invalid argument)\n");
	syscall(SYS_perf_event_open, none, 0, 0, 0, 8L);
	printf("perf_event_open(%p, 0, 0, 0, PERF_FLAG_FD_CLOEXEC) = -1 EFAULT (Bad address)\n", none);
	syscall(SYS_bpf, 1000, 0L, 0);
	printf("bpf(0x3e8 /* BPF_??? */, NULL, 0) = -1 EINVAL (Invalid argument)\n");
	fflush(stdout);
	_exit(0);
}
