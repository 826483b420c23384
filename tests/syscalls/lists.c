// stride: -e trace=listns,listmount,lsm_list_modules,lsm_get_self_attr,?_sysctl -a1
// Calls that list what the kernel has. Whether or not it knows them, the request is shown.
#define _GNU_SOURCE
#include "result.h"
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define listmount_ 458
#define lsm_get_self_attr_ 459
#define lsm_list_modules_ 461
#define listns_ 470

struct listns_request {
	uint32_t size, spare;
	uint64_t id;
	uint32_t type, spare2;
	uint64_t user;
};

int main(void)
{
	uint64_t ids[4] = {};
	struct listns_request r = { sizeof(r), 0, 5, 0x10000000 | 0x20000000, 0, ~0ull };
	struct { uint32_t size, spare; uint64_t id, param; } m = { sizeof(m), 0, 0xfffffffffffffff0, 7 };
	long got;
	chdir("MARKER");

	/* The last argument is a flag that no kernel has, so the call fails on all of them. */
	got = syscall(listns_, &r, ids, 4L, 0x80000000L);
	printf("listns({size=32, ns_id=0x5, ns_type=USER_NS|PID_NS, user_ns_id=LISTNS_CURRENT_USER}, %p, 4, 0x80000000) = %s\n",
	       ids, result(got));
	r.spare = 3;
	r.type = 1;
	got = syscall(listns_, &r, ids, 0L, 0L);
	printf("listns({size=32, spare=0x3, ns_id=0x5, ns_type=0x1 /* ???_NS */, user_ns_id=LISTNS_CURRENT_USER}, [], 0, 0) = %s\n",
	       result(got));
	r.size = 8;
	got = syscall(listns_, &r, NULL, 4L, 0L);
	printf("listns({size=8}, NULL, 4, 0) = %s\n", result(got));
	/* More bytes than any kernel takes, of which a page is shown. */
	struct listns_request *huge = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	*huge = (struct listns_request) { .size = 1 << 16, .id = 5 };
	((char *) huge)[300] = 1;
	got = syscall(listns_, huge, NULL, 4L, 0L);
	printf("listns({size=65536, ns_id=0x5, ns_type=0, user_ns_id=0, /* bytes 32..4095 */ \"");
	for (int i = 0; i < 32; i++)
		printf("\\x00");
	printf("\"...}, NULL, 4, 0) = %s\n", result(got));
	/* The bytes end before the size does. */
	char *end = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0) + 4096;
	munmap(end, 4096);
	memcpy(end - 40, huge, 40);
	got = syscall(listns_, end - 40, NULL, 4L, 0L);
	printf("listns({size=65536, ns_id=0x5, ns_type=0, user_ns_id=0, ???}, NULL, 4, 0) = %s\n", result(got));
	got = syscall(listmount_, &m, ids, 4L, 2L);
	printf("listmount({size=24, mnt_ns_fd=0, mnt_id=0xfffffffffffffff0, param=0x7}, %p, 4, 0x2 /* LISTMOUNT_??? */) = %s\n", ids, result(got));
#ifdef __x86_64__
	// Other machines never had _sysctl.
	int name[] = { 1, 2 };
	struct { int *name; int nlen; void *oldval; size_t *oldlenp; void *newval; size_t newlen, unused[4]; } s = {
		name, 2, ids, (void *) 1, NULL, 3, {}
	};
	got = syscall(156, &s);
	printf("_sysctl({name=[1, 2], nlen=2, oldval=%p, oldlenp=0x1, newval=NULL, newlen=3}) = %s\n", ids, result(got));
#endif
	uint32_t size = 0;
	got = syscall(lsm_list_modules_, ids, &size, 1L);
	printf("lsm_list_modules(%p, [0], 0x1) = %s\n", ids, result(got));
	got = syscall(lsm_get_self_attr_, 99L, ids, NULL, 1L);
	printf("lsm_get_self_attr(%#x /* LSM_ATTR_??? */, %p, NULL, LSM_FLAG_SINGLE) = %s\n", 99, ids, result(got));
	fflush(stdout);
	_exit(0);
}
