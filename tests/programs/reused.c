// Gives numbers of descriptors to other files in every way there is, and seeks in each number afterwards.
// For each lseek(2) it prints the number and the name of its file: as the kernel knows it, and as the calls before tell it. `-` is no file.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int is(int fd, const char *file, const char *told)
{
	char line[64];

	lseek(fd, 0, SEEK_CUR);
	// (dprintf(3) seeks, too.)
	write(1, line, sprintf(line, "%d %s %s\n", fd, file, told));
	return fd;
}

static int file(const char *name)
{
	return open(name, O_RDONLY | O_CREAT, 0600);
}

static int cloned(unsigned long flags)
{
	return syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
}

/* Sends a descriptor to the process itself. */
static int received(int fd)
{
	int pair[2], got = -1;
	char byte = 0, room[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room) };
	struct cmsghdr *control = CMSG_FIRSTHDR(&msg);

	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
	control->cmsg_level = SOL_SOCKET;
	control->cmsg_type = SCM_RIGHTS;
	control->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(control), &fd, sizeof(int));
	sendmsg(pair[0], &msg, 0);
	close(fd);
	msg.msg_controllen = sizeof(room);
	recvmsg(pair[1], &msg, 0);
	memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(int));
	close(pair[0]);
	close(pair[1]);
	return got;
}

static void accepts(int number)
{
	struct sockaddr_un at = { AF_UNIX, "socket" };
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);

	bind(listener, (void *) &at, sizeof(at));
	listen(listener, 1);
	connect(client, (void *) &at, sizeof(at));
	close(number);
	is(accept(listener, NULL, NULL), "socket", "socket");
	close(number);
	close(listener);
	close(client);
	unlink("socket");
}

int main(int argc, char **argv)
{
	int fd, other, status;

	if (argc > 2) {
		// A descriptor was closed by execve(2), and one was not.
		is(atoi(argv[1]), "-", "-");
		is(atoi(argv[2]), "other", "other");
		is(file("again"), "again", "again");
		return 0;
	}
	close_range(3, ~0U, 0);
	// close(2)
	fd = is(file("one"), "one", "one");
	close(fd);
	is(fd, "-", "-");
	is(file("two"), "two", "two");
	close(fd);
	open("nowhere", O_RDONLY);
	is(fd, "-", "-");
	file("three");
	// dup2(2), dup3(2)
	other = is(file("other"), "other", "other");
	dup2(other, fd);
	is(fd, "other", "other");
	close(fd);
	file("three");
	dup3(other, fd, O_CLOEXEC);
	is(fd, "other", "other");
	// close_range(2)
	close_range(fd, fd, 0);
	is(fd, "-", "-");
	file("four");
	is(fd, "four", "four");
	close_range(fd, fd, CLOSE_RANGE_CLOEXEC);
	is(fd, "four", "four");
	// A child with a table of its own, one with the same, and one that leaves the common table.
	if (!cloned(0)) {
		close(fd);
		is(file("child"), "child", "child");
		_exit(0);
	}
	wait(&status);
	is(fd, "four", "four");
	if (!cloned(CLONE_FILES)) {
		close(fd);
		is(file("common"), "common", "common");
		_exit(0);
	}
	wait(&status);
	is(fd, "common", "common");
	if (!cloned(CLONE_FILES)) {
		close_range(fd, fd, CLOSE_RANGE_UNSHARE);
		is(file("left"), "left", "left");
		_exit(0);
	}
	wait(&status);
	is(fd, "common", "common");
	// From others
	accepts(fd);
	is(received(file("five")), "five", "-");
	dup2(fd, other);
	is(other, "five", "-");
	close(fd);
	close(other);
	fd = file("six");
	other = syscall(SYS_pidfd_open, getpid(), 0);
	if (other >= 0 && (other = syscall(SYS_pidfd_getfd, other, fd, 0)) >= 0)
		is(other, "six", "(pidfd_getfd)");
	close_range(fd, ~0U, 0);
	// Often, with nothing between
	for (int i = 0; i < 200; i++) {
		fd = is(file("even"), "even", "even");
		close(fd);
		is(file("odd"), "odd", "odd");
		close(fd);
	}
	// execve(2)
	fd = file("four");
	other = file("other");
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	char numbers[2][12];
	sprintf(numbers[0], "%d", fd);
	sprintf(numbers[1], "%d", other);
	execv("/proc/self/exe", (char *[]) { argv[0], numbers[0], numbers[1], NULL });
	return 1;
}
