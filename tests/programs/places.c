/*
 * Calls from many places, each with a stack that could be mistaken for another place's. The arguments are the paths of two plugins,
 * and of a pipe. The pipe tells that all calls so far were seen, before code is unmapped.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Code behind the call, so that the compiler does not make it a jump. */
#define STAY asm volatile("" ::: "memory")
#define FUNCTION __attribute__((noinline, noclone))

FUNCTION void tell(long what)
{
	syscall(SYS_getpriority, what, 0);
	STAY;
}

static int seen;

FUNCTION void wait_until_seen(void)
{
	char c;

	tell(50);
	read(seen, &c, 1);
	STAY;
}

FUNCTION void recurse(int depth)
{
	if (depth)
		recurse(depth - 1);
	else
		tell(1);
	STAY;
}

/* Two callers whose frames have the same address. */
FUNCTION void wrapper(void)
{
	tell(2);
	STAY;
}

FUNCTION void one(void)
{
	wrapper();
	STAY;
}

FUNCTION void other(void)
{
	wrapper();
	STAY;
}

static jmp_buf back;

FUNCTION void jumps(void)
{
	tell(3);
	longjmp(back, 1);
}

FUNCTION void handler(int signal)
{
	tell(4);
	STAY;
}

FUNCTION void signalled(void)
{
	raise(SIGUSR1);
	STAY;
}

FUNCTION void in_thread(long n)
{
	for (int i = 0; i < 20; i++)
		tell(100 + n);
	STAY;
}

static void *thread(void *arg)
{
	in_thread((long)arg);
	return NULL;
}

/* The unwinder finds the frame by the frame pointer, because the frame's size is not known. */
FUNCTION void sized(size_t n)
{
	volatile char *room = __builtin_alloca(n);

	room[0] = 1;
	tell(5);
	STAY;
}

/* Loads another library at the address of the first. */
static void plugin(const char *path, void **at)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*call)(void) = dlsym(library, "call");

	if (*at && *at != (void *)call)
		exit(3);
	*at = call;
	for (int i = 0; i < 20; i++)
		call();
	wait_until_seen();
	dlclose(library);
}

int main(int argc, char **argv)
{
	pthread_t threads[3];
	void *at = NULL;

	seen = open(argv[argc - 1], O_RDONLY);
	if (argc < 4) {
		tell(6);
		wait_until_seen();
		_exit(0);
	}
	for (int i = 0; i < 20; i++)
		recurse(i % 4 ? 7 : 40);
	for (int i = 0; i < 40; i++)
		i & 1 ? one() : other();
	for (int i = 0; i < 20; i++)
		if (!setjmp(back))
			jumps();
	signal(SIGUSR1, handler);
	for (int i = 0; i < 5; i++)
		signalled();
	for (int i = 0; i < 20; i++)
		sized(i % 2 ? 64 : 4000);
	for (long i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, thread, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 4; i++)
		plugin(argv[1 + i % 2], &at);
	if (!fork()) {
		one();
		wait_until_seen();
		_exit(0);
	}
	wait(NULL);
	wait_until_seen();
	execl("/proc/self/exe", argv[0], argv[argc - 1], NULL);
	return 1;
}
