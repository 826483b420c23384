/*
 * Makes the system calls that a file names, none of which the kernel carries out: a seccomp filter hands each to another thread, which says what it
 * returns. So no call does harm, and each may return anything.
 *
 * The file is a row of 64-bit numbers: the number of calls, the number of pieces of memory, for each piece its address, its size and its
 * bytes (filled up to eight), for each call its number, six arguments and its result. The arena is mapped at its address, with holes: the last
 * page of each stretch is not there.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct call {
	uint64_t nr, args[6];
	int64_t result;
};

extern char after_syscall[];
uint64_t make_call(const struct call *);

/* The filter knows the calls to answer by the place of this instruction. */
__asm__(".text\n"
	"make_call:\n"
	"	push %rbx\n"
	"	mov %rdi, %rbx\n"
	"	mov 0(%rbx), %rax\n"
	"	mov 8(%rbx), %rdi\n"
	"	mov 16(%rbx), %rsi\n"
	"	mov 24(%rbx), %rdx\n"
	"	mov 32(%rbx), %r10\n"
	"	mov 40(%rbx), %r8\n"
	"	mov 48(%rbx), %r9\n"
	"	syscall\n"
	"after_syscall:\n"
	"	pop %rbx\n"
	"	ret\n");

static const struct call *calls;
static uint64_t count;
static int listener = -1;

static int64_t notice(unsigned long request, void *arg)
{
	for (;;) {
		int r = ioctl(listener, request, arg);
		if (r >= 0)
			return r;
	}
}

static void *answer(void *unused)
{
	(void)unused;
	while (__atomic_load_n(&listener, __ATOMIC_ACQUIRE) < 0)
		;
	for (uint64_t i = 0; i < count; i++) {
		struct seccomp_notif asked;
		memset(&asked, 0, sizeof asked);
		notice(SECCOMP_IOCTL_NOTIF_RECV, &asked);
		struct seccomp_notif_resp resp = {.id = asked.id};
		if (calls[i].result < 0 && calls[i].result >= -4095)
			resp.error = calls[i].result;
		else
			resp.val = calls[i].result;
		notice(SECCOMP_IOCTL_NOTIF_SEND, &resp);
	}
	return NULL;
}

static void filter(void)
{
	uint64_t at = (uint64_t)after_syscall;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)at, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(at >> 32), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof code / sizeof *code, code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err(1, "PR_SET_NO_NEW_PRIVS");
	int fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
	if (fd < 0)
		err(1, "seccomp");
	__atomic_store_n(&listener, fd, __ATOMIC_RELEASE);
}

int main(int argc, char **argv)
{
	if (argc != 6)
		errx(2, "usage: player FILE ARENA STRETCHES STRETCH-BYTES HOLE-BYTES");
	int fd = open(argv[1], O_RDONLY);
	struct stat st;
	if (fd < 0 || fstat(fd, &st))
		err(1, "%s", argv[1]);
	const uint64_t *word = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (word == MAP_FAILED)
		err(1, "mmap");
	close(fd);
	uint64_t arena = strtoull(argv[2], NULL, 0), stretches = strtoull(argv[3], NULL, 0);
	uint64_t size = strtoull(argv[4], NULL, 0), hole = strtoull(argv[5], NULL, 0);
	if (mmap((void *)arena, stretches * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != (void *)arena)
		err(1, "the arena");
	for (uint64_t i = 0; i < stretches; i++)
		munmap((void *)(arena + (i + 1) * size - hole), hole);
	count = *word++;
	for (uint64_t pieces = *word++; pieces; pieces--) {
		uint64_t to = *word++, bytes = *word++;
		memcpy((void *)to, word, bytes);
		word += (bytes + 7) / 8;
	}
	calls = (const struct call *)word;
	pthread_t thread;
	if (pthread_create(&thread, NULL, answer, NULL))
		errx(1, "pthread_create");
	filter();
	for (uint64_t i = 0; i < count; i++) {
		/* Lines are found by this call, which fails. */
		syscall(SYS_getpriority, 0x5712de, i);
		make_call(&calls[i]);
	}
	syscall(SYS_getpriority, 0x5712de, count);
	_exit(0);
}
