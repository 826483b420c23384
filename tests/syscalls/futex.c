// stride: -e trace=/^futex,get_robust_list,rseq -a1
// futex(2): the operation decides which arguments there are, and their types.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "result.h"

int main(void)
{
	char out[1 << 14];
	uint32_t word = 5, other = 6;
	struct timespec ts = {0, 1000};
	struct {
		uint64_t val, uaddr;
		uint32_t flags, reserved;
	} waiters[2] = {{5, (uintptr_t)&word, 0x82, 0}, {6, 0, 0x40, 3}};
	void *head;
	size_t len;
	long r;

	setvbuf(stdout, out, _IOFBF, sizeof out);
	chdir("MARKER");

	r = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 4, NULL);
	printf("futex(%p, FUTEX_WAIT_PRIVATE, 4, NULL) = %s\n", &word, result(r));
	r = syscall(SYS_futex, &word, FUTEX_WAIT, 5, &ts);
	printf("futex(%p, FUTEX_WAIT, 5, {tv_sec=0, tv_nsec=1000}) = %s\n", &word, result(r));
	r = syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 4, 0x11, NULL, ~0u);
	printf("futex(%p, FUTEX_WAIT_BITSET_PRIVATE|FUTEX_CLOCK_REALTIME, 4, 0x11, FUTEX_BITSET_MATCH_ANY) = %s\n", &word,
	       result(r));
	r = syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 0x7fffffff);
	printf("futex(%p, FUTEX_WAKE_PRIVATE, 2147483647) = %s\n", &word, result(r));
	r = syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, 1, 0, 0, 0x30);
	printf("futex(%p, FUTEX_WAKE_BITSET, 1, 0x30) = %s\n", &word, result(r));
	r = syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE, 1, 2, &other, 5);
	printf("futex(%p, FUTEX_CMP_REQUEUE, 1, 2, %p, 5) = %s\n", &word, &other, result(r));
	r = syscall(SYS_futex, &word, FUTEX_WAKE_OP, 1, 2, &other, FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_GT, 4095));
	printf("futex(%p, FUTEX_WAKE_OP, 1, 2, %p, FUTEX_OP_ADD<<28|0x1<<12|FUTEX_OP_CMP_GT<<24|0xfff) = %s\n", &word, &other,
	       result(r));
	r = syscall(SYS_futex, &word, FUTEX_WAKE_OP, 1, 2, &other, 0xff000000);
	printf("futex(%p, FUTEX_WAKE_OP, 1, 2, %p, FUTEX_OP_OPARG_SHIFT<<28|0x7<<28 /* FUTEX_OP_??? */|0<<12|"
	       "0xf<<24 /* FUTEX_OP_CMP_??? */|0) = %s\n",
	       &word, &other, result(r));
	r = syscall(SYS_futex, &word, FUTEX_TRYLOCK_PI, 1, 2, 3, 4);
	printf("futex(%p, FUTEX_TRYLOCK_PI) = %s\n", &word, result(r));
	r = syscall(SYS_futex, NULL, 0x7f, 1, 2, 3, 4);
	printf("futex(NULL, 0x7f /* FUTEX_??? */, 1, 0x2, 0x3, 0x4) = %s\n", result(r));

	r = syscall(SYS_futex_waitv, waiters, 2, 1, &ts, 99);
	printf("futex_waitv([{val=0x5, uaddr=%p, flags=FUTEX2_SIZE_U32|FUTEX2_PRIVATE}, "
	       "{val=0x6, uaddr=NULL, flags=FUTEX2_SIZE_U8|0x40, __reserved=0x3}], 2, 0x1, {tv_sec=0, tv_nsec=1000}, "
	       "0x63 /* CLOCK_??? */) = %s\n",
	       &word, result(r));
	r = syscall(SYS_get_robust_list, 0, &head, &len);
	printf("get_robust_list(0, [%p], [%zu]) = %s\n", head, len, result(r));
	r = syscall(SYS_get_robust_list, -1, &head, 0x11);
	printf("get_robust_list(-1, %p, 0x11) = %s\n", &head, result(r));
	r = syscall(SYS_rseq, 0x11, 32, 4, 0x53);
	printf("rseq(0x11, 32, 0x4 /* RSEQ_FLAG_??? */, 0x53) = %s\n", result(r));
	fflush(stdout);
	_exit(0);
}
