// stride: -e trace=%memory,pkey_alloc,pkey_free,process_madvise -a1
// Mapping, protecting and advising memory. The type of a mapping is always shown, known or not.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static char text[256];

static const char *result(long r)
{
	if (r == -1)
		snprintf(text, sizeof text, "-1 %s (%s)", strerrorname_np(errno), strerror(errno));
	else if (r > 4096)
		snprintf(text, sizeof text, "%#lx", r);
	else
		snprintf(text, sizeof text, "%ld", r);
	return text;
}

int main(void)
{
	char out[1 << 14];
	unsigned char pages[2];
	long r;
	struct iovec bufs[2];

	setvbuf(stdout, out, _IOFBF, sizeof out);
	chdir("MARKER");

	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	printf("mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS|MAP_NORESERVE, -1, 0) = %p\n", p);
	*p = 1;
	r = syscall(SYS_mmap, p, 4096, 0x20, 0x15, -1, 0x7000);
	printf("mmap(%p, 4096, 0x20 /* PROT_??? */, 0x5 /* MAP_??? */|MAP_FIXED, -1, 0x7000) = %s\n", p, result(r));
	r = syscall(SYS_mmap, NULL, 1, PROT_NONE, MAP_FIXED | 21 << 26, -1, 0);
	printf("mmap(NULL, 1, PROT_NONE, MAP_FILE|MAP_FIXED|21<<MAP_HUGE_SHIFT, -1, 0) = %s\n", result(r));
	r = mprotect(p + 4096, 4096, PROT_READ | 0x100);
	printf("mprotect(%p, 4096, PROT_READ|0x100) = %s\n", p + 4096, result(r));
	r = mincore(p, 8192, pages);
	printf("mincore(%p, 8192, [1, 0]) = %s\n", p, result(r));
	r = mincore(p, 8192, NULL);
	printf("mincore(%p, 8192, NULL) = %s\n", p, result(r));
	r = madvise(p, 4096, MADV_DONTNEED);
	printf("madvise(%p, 4096, MADV_DONTNEED) = %s\n", p, result(r));
	r = madvise(p, 4096, 12345);
	printf("madvise(%p, 4096, 0x3039 /* MADV_??? */) = %s\n", p, result(r));
	bufs[0] = (struct iovec){p, 4096};
	bufs[1] = (struct iovec){NULL, 0};
	r = syscall(SYS_process_madvise, -1, bufs, 2, MADV_COLD, 0);
	printf("process_madvise(-1, [{iov_base=%p, iov_len=4096}, {iov_base=NULL, iov_len=0}], 2, MADV_COLD, 0) = %s\n", p,
	       result(r));
	r = msync(p, 8192, MS_SYNC | MS_INVALIDATE);
	printf("msync(%p, 8192, MS_SYNC|MS_INVALIDATE) = %s\n", p, result(r));
	r = mlock(p, 0);
	printf("mlock(%p, 0) = %s\n", p, result(r));
	r = syscall(SYS_mlock2, p, 0, 3);
	printf("mlock2(%p, 0, MLOCK_ONFAULT|0x2) = %s\n", p, result(r));
	r = mlockall(0x40);
	printf("mlockall(0x40 /* MCL_??? */) = %s\n", result(r));
	r = (long)mremap(p, 8192, 4096, 0);
	printf("mremap(%p, 8192, 4096, 0) = %s\n", p, result(r));
	// The fifth argument is shown only if the flags use it.
	r = syscall(SYS_mremap, p, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, 0x11);
	printf("mremap(%p, 4096, 4096, MREMAP_MAYMOVE|MREMAP_FIXED, 0x11) = %s\n", p, result(r));
	r = syscall(SYS_pkey_alloc, 8, 0);
	printf("pkey_alloc(0x8, PKEY_UNRESTRICTED) = %s\n", result(r));
	r = syscall(SYS_pkey_free, -5);
	printf("pkey_free(-5) = %s\n", result(r));

	// A node mask is shown in as many words as hold its bits, without the last bit.
	unsigned long nodes[2] = {1, 0x80};
	r = syscall(SYS_set_mempolicy, 0x4000 | 7, nodes, 129);
	printf("set_mempolicy(MPOL_F_RELATIVE_NODES|0x7, [0x00000000000001, 0x00000000000080], 129) = %s\n", result(r));
	nodes[0] |= 1UL << 63, nodes[1] = 1;
	r = syscall(SYS_set_mempolicy, 0x4000 | 7, nodes, 129);
	printf("set_mempolicy(MPOL_F_RELATIVE_NODES|0x7, [0x8000000000000001, 0x00000000000001], 129) = %s\n", result(r));
	r = syscall(SYS_migrate_pages, -1, 65, nodes, nodes);
	printf("migrate_pages(-1, 65, [0x8000000000000001], [0x8000000000000001]) = %s\n", result(r));
	r = syscall(SYS_set_mempolicy, 0x8002, NULL, 64);
	printf("set_mempolicy(MPOL_BIND|MPOL_F_STATIC_NODES, NULL, 64) = %s\n", result(r));
	r = syscall(SYS_mbind, p, 4096, 9, nodes, 0, 9);
	printf("mbind(%p, 4096, 0x9 /* MPOL_??? */, [], 0, MPOL_MF_STRICT|0x8) = %s\n", p, result(r));
	r = munmap(p, 4096);
	printf("munmap(%p, 4096) = %s\n", p, result(r));
	r = munmap((void *)1, 4096);
	printf("munmap(0x1, 4096) = %s\n", result(r));
	fflush(stdout);
	_exit(0);
}
