// stride: -e trace=/^sched_,getpriority,setpriority -a1
// Scheduling: attributes show the members within the size that they name and that the flags leave in force.
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "result.h"

struct attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
	uint32_t util_min, util_max;
};

int main(void)
{
	char out[1 << 14];
	struct sched_param param = {.sched_priority = -3};
	struct attr attr;
	cpu_set_t cpus;
	long r;

	setvbuf(stdout, out, _IOFBF, sizeof out);
	chdir("MARKER");

	sched_yield();
	printf("sched_yield() = 0\n");
	r = syscall(SYS_sched_getscheduler, 0);
	printf("sched_getscheduler(0) = 0 (SCHED_OTHER)\n");
	r = syscall(SYS_sched_setscheduler, 0, SCHED_FIFO | 0x40000000, &param);
	printf("sched_setscheduler(0, SCHED_RESET_ON_FORK|SCHED_FIFO, {sched_priority=-3}) = %s\n", result(r));
	r = syscall(SYS_sched_setscheduler, -1, 77, 0x11);
	printf("sched_setscheduler(-1, 0x4d /* SCHED_??? */, 0x11) = %s\n", result(r));
	r = syscall(SYS_sched_getparam, 0, &param);
	printf("sched_getparam(0, {sched_priority=0}) = %s\n", result(r));
	r = sched_get_priority_max(SCHED_RR);
	printf("sched_get_priority_max(SCHED_RR) = %s\n", result(r));

	CPU_ZERO(&cpus);
	CPU_SET(5000 % 64, &cpus);
	CPU_SET(63, &cpus);
	r = syscall(SYS_sched_setaffinity, 0x7ffffffe, 8, &cpus);
	printf("sched_setaffinity(2147483646, 8, [8 63]) = %s\n", result(r));
	r = syscall(SYS_sched_setaffinity, 0x7ffffffe, 8, 0x11);
	printf("sched_setaffinity(2147483646, 8, 0x11) = %s\n", result(r));
	r = syscall(SYS_sched_getaffinity, 0, 1, &cpus);
	printf("sched_getaffinity(0, 1, %p) = %s\n", &cpus, result(r));

	memset(&attr, 0x11, sizeof attr);
	r = syscall(SYS_sched_getattr, 0, &attr, sizeof attr, 0);
	printf("sched_getattr(0, {size=%u, sched_policy=SCHED_OTHER, sched_flags=0, sched_nice=%d, sched_priority=0, "
	       "sched_runtime=%lu, sched_deadline=%lu, sched_period=%lu, sched_util_min=%u, sched_util_max=%u}, 56, 0) = %s\n",
	       attr.size, attr.nice, attr.runtime, attr.deadline, attr.period, attr.util_min, attr.util_max, result(r));
	attr.size = 7;
	r = syscall(SYS_sched_setattr, 0, &attr, 0);
	printf("sched_setattr(0, {size=7} => {size=%u}, 0) = %s\n", attr.size, result(r));
	attr.flags = 0x8 | 0x1;
	attr.size = 48;
	r = syscall(SYS_sched_setattr, -5, &attr, 0);
	printf("sched_setattr(-5, {size=48, sched_flags=SCHED_FLAG_RESET_ON_FORK|SCHED_FLAG_KEEP_POLICY, sched_nice=%d, "
	       "sched_priority=0, sched_runtime=%lu, sched_deadline=%lu, sched_period=%lu}, 0) = %s\n",
	       attr.nice, attr.runtime, attr.deadline, attr.period, result(r));
	/* The limits of utilisation come together. */
	attr.flags = 0x8 | 0x10;
	for (attr.size = 52; attr.size <= 56; attr.size += 4) {
		char limits[64] = "";

		if (attr.size == 56)
			snprintf(limits, sizeof limits, ", sched_util_min=%u, sched_util_max=%u", attr.util_min, attr.util_max);
		r = syscall(SYS_sched_setattr, -5, &attr, 0);
		printf("sched_setattr(-5, {size=%u, sched_flags=SCHED_FLAG_KEEP_POLICY|SCHED_FLAG_KEEP_PARAMS%s}, 0) = %s\n",
		       attr.size, limits, result(r));
	}
	r = syscall(SYS_sched_setattr, -5, 0x11, 0x22);
	printf("sched_setattr(-5, 0x11, 0x22) = %s\n", result(r));

	r = syscall(SYS_getpriority, PRIO_PGRP, 0);
	printf("getpriority(PRIO_PGRP, 0) = %s\n", result(r));
	r = syscall(SYS_setpriority, 9, 1, 2);
	printf("setpriority(0x9 /* PRIO_??? */, 1, 2) = %s\n", result(r));
	fflush(stdout);
	_exit(0);
}
