/* Makes calls whose traces must be the same under both engines. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void handler(int sig) { (void)sig; }

/*
 * Returns when the parent, or the leader, waits as well, so that the following calls have one order only. The number of looks is
 * chance, so tests do not compare reads of descriptor 99 and naps of a millisecond.
 */
static void wait_until_it_waits(pid_t pid)
{
	char path[64], stat[512], *state;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, pid);
	dup2(open(path, O_RDONLY), 99);
	for (;;) {
		ssize_t len = pread(99, stat, sizeof(stat) - 1, 0);

		stat[len > 0 ? len : 0] = 0;
		state = strrchr(stat, ')');
		if (!state || state[2] == 'S')
			return;
		poll(NULL, 0, 1);
	}
}

static void *thread(void *arg)
{
	wait_until_it_waits(getpid());
	write(-1, "from a thread", 13);
	return arg;
}

static void *exec_thread(void *arg)
{
	char *argv[] = {"true", "from", "a thread", NULL};

	wait_until_it_waits(getpid());
	execve("/bin/true", argv, NULL);
	return arg;
}

static void child(void (*body)(void))
{
	pid_t pid = fork();

	if (!pid) {
		wait_until_it_waits(getppid());
		body();
		_exit(99);
	}
	waitpid(pid, NULL, 0);
}

static void exits(void) { _exit(3); }
static void aborts(void) { abort(); }
static void terminates(void) { kill(getpid(), SIGTERM); }
static void is_killed(void) { kill(getpid(), SIGKILL); }

static void execs(void)
{
	char *argv[] = {"true", "one", "", "a rather long argument that is cut somewhere along its way", NULL};
	char *env[] = {"A=1", NULL};

	execve("/nonexistent", argv, env);
	execve((char *)1, argv, env);
	execve("/bin/true", argv, env);
}

static void memory(void)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char long_path[5000];
	char buf[100];
	int fd;

	/* A path across a page boundary, one that ends with the mapping, and one that leads beyond it. */
	strcpy(page + 4090, "/a path across pages");
	open(page + 4090, O_RDONLY);
	munmap(page + 4096, 4096);
	memcpy(page + 4091, "fits", 5);
	open(page + 4091, O_RDONLY);
	memcpy(page + 4093, "end", 3);
	open(page + 4093, O_RDONLY);
	write(-1, page + 4090, 20);
	write(-1, page + 4096, 20);
	write(-1, page + 4093, 3);
	open((char *)1, O_RDONLY);
	open(NULL, O_RDONLY);
	open("", O_RDONLY);
	memset(long_path, 'x', sizeof(long_path));
	long_path[sizeof(long_path) - 1] = 0;
	open(long_path, O_RDONLY);
	fd = open("/proc/self/comm", O_RDONLY);
	read(fd, buf, sizeof(buf));
	read(fd, buf, sizeof(buf));
	read(fd, NULL, sizeof(buf));
	read(fd, buf, 0);
	close(fd);
	write(-1, "exactly thirty-two bytes long...", 32);
	write(-1, "one more than thirty-two bytes...", 33);
	write(-1, "with\0nuls\n", 10);
}

static void vectors(void)
{
	struct iovec iov[3] = {{"ab", 2}, {NULL, 0}, {"a longer piece, longer than is shown", 36}};
	char one[4], two[10];
	struct iovec in[2] = {{one, sizeof(one)}, {two, sizeof(two)}};
	int ends[2];

	pipe(ends);
	writev(ends[1], iov, 3);
	readv(ends[0], in, 2);
	writev(-1, iov, 3);
	writev(-1, (void *)1, 3);
	writev(-1, iov, 0);
	close(ends[0]);
	close(ends[1]);
}

static void sockets(void)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0stride-test-nobody"};
	struct sockaddr_un got;
	socklen_t len = sizeof(got);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	connect(fd, (void *)&name, sizeof(sa_family_t) + 19);
	getsockname(fd, (void *)&got, &len);
	len = 1;
	getsockname(fd, (void *)&got, &len);
	getsockname(fd, (void *)&got, NULL);
	getpeername(fd, (void *)&got, &len);
	close(fd);
}

int main(int argc, char **argv)
{
	struct stat st;
	pthread_t t;

	(void)argc;
	if (!(personality(0xffffffff) & ADDR_NO_RANDOMIZE)) {
		char *env[] = {NULL};

		personality(ADDR_NO_RANDOMIZE);
		execve("/proc/self/exe", argv, env);
	}
	memory();
	vectors();
	sockets();
	stat("/", &st);
	stat("/nonexistent", &st);
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	syscall(9999, 1, 2, 3, 4, 5, 6);
	child(exits);
	child(aborts);
	child(terminates);
	child(is_killed);
	child(execs);
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	pthread_create(&t, NULL, exec_thread, NULL);
	pause();
}
