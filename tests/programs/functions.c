/*
 * Makes numbered calls in all ways in which a call can be made: openat with the path /WAY/NUMBER, which does not exist. Then prints how many it
 * made in each way: "WAY NUMBER". One thread waits in accept4 from the beginning.
 *
 * usage: functions FILE: makes calls until FILE.end exists; the thread waits until FILE exists
 *        functions busy SECONDS: once a second, measures and prints the nanoseconds that a call of getppid takes
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static char *file;

static bool goes_on(void)
{
	char end[64];

	snprintf(end, sizeof(end), "%s.end", file);
	return access(end, F_OK) != 0;
}

static void numbered(int dir, const char *way, int i)
{
	char path[64];

	snprintf(path, sizeof(path), "/%s/%d", way, i);
	syscall(SYS_openat, dir, path, O_RDONLY);
}

static void print(const char *way, int n)
{
	char line[64];
	int len = snprintf(line, sizeof(line), "%s %d\n", way, n);

	if (write(1, line, len) != len)
		_exit(1);
}

static void *thread(void *way)
{
	int i = 0;

	for (; goes_on(); i++) {
		numbered(AT_FDCWD, way, i);
		usleep(3000);
	}
	print(way, i);
	return NULL;
}

/* Each call is the only one of its process. */
static void forks(void)
{
	int i = 0;

	for (; goes_on(); i++) {
		if (!fork()) {
			numbered(AT_FDCWD, "fork", i);
			_exit(0);
		}
		wait(NULL);
		usleep(10000);
	}
	print("fork", i);
}

/* Each call is the only one of its program. */
static void execs(char **argv, int i)
{
	char number[32];

	numbered(AT_FDCWD, "exec", i++);
	usleep(10000);
	if (!goes_on()) {
		print("exec", i);
		return;
	}
	snprintf(number, sizeof(number), "%d", i);
	execl(argv[0], argv[0], "exec", file, number, NULL);
	_exit(1);
}

/* 32-bit calls. */
static void old(void)
{
	int i = 0;
#ifdef __x86_64__
	char *path = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	for (; goes_on(); i++) {
		long result;

		snprintf(path, 64, "/old/%d", i);
		asm volatile("int $0x80" : "=a"(result) : "a"(295), "b"(AT_FDCWD), "c"(path), "d"(O_RDONLY), "S"(0) : "memory", "r8", "r9", "r10", "r11");
		usleep(3000);
	}
#endif
	print("old", i);
}

/* Every second call is refused by a filter. */
static void refused(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)-7, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 71),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };
	int i = 0;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(1);
	for (; goes_on(); i += 2) {
		numbered(-7, "seccomp", i);
		numbered(AT_FDCWD, "seccomp", i + 1);
		usleep(3000);
	}
	print("seccomp", i);
}

static struct sockaddr_un address = { AF_UNIX, "functions.socket" };

static void *waits(void *listening)
{
	struct sockaddr_un peer;
	socklen_t len = sizeof(peer);

	return (void *)(long)accept4(*(int *)listening, (struct sockaddr *)&peer, &len, SOCK_CLOEXEC);
}

static void way(void (*how)(void))
{
	if (!fork()) {
		how();
		_exit(0);
	}
}

int main(int argc, char **argv)
{
	pthread_t waiting, threads[2];
	int listening, connected;

	if (argc == 3 && !strcmp(argv[1], "busy")) {
		for (int second = atoi(argv[2]); second > 0; second--) {
			double begin = now();

			for (int i = 0; i < 20000; i++)
				syscall(SYS_getppid);
			print("busy", (now() - begin) / 20000 * 1e9);
			sleep(1);
		}
		return 0;
	}
	if (argc == 4) {
		file = argv[2];
		execs(argv, atoi(argv[3]));
		return 0;
	}
	file = argv[1];
	unlink(address.sun_path);
	listening = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(listening, (struct sockaddr *)&address, sizeof(address)) || listen(listening, 1))
		return 1;
	pthread_create(&waiting, NULL, waits, &listening);
	usleep(100000);
	way(forks);
	way(old);
	way(refused);
	if (!fork()) {
		execs(argv, 0);
		_exit(0);
	}
	pthread_create(&threads[0], NULL, thread, "first");
	pthread_create(&threads[1], NULL, thread, "second");
	while (access(file, F_OK))
		usleep(10000);
	connected = socket(AF_UNIX, SOCK_STREAM, 0);
	connect(connected, (struct sockaddr *)&address, sizeof(address));
	pthread_join(waiting, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	while (wait(NULL) > 0)
		;
	return 0;
}
