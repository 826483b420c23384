/* servers KIND ADDRESS: a server of this kind. To each line it answers with "answer " and the line. ADDRESS is a port of 127.0.0.1, or a path
 * for `unix`. A client may send many lines over one connection. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* Each call must succeed, as in any server that does not expect a tracer. EINTR is an answer that only a signal may cause. */
#define MUST(what) do { if ((what) < 0) { perror(#what); exit(9); } } while (0)

static int listener;

static int inet_socket(int type, const char *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(atoi(port)) };
	int fd = socket(AF_INET, type, 0), yes = 1;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	MUST(fd);
	MUST(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)));
	MUST(bind(fd, (void *)&at, sizeof(at)));
	return fd;
}

static int unix_socket(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	MUST(fd);
	strncpy(at.sun_path, path, sizeof(at.sun_path) - 1);
	MUST(bind(fd, (void *)&at, sizeof(at)));
	return fd;
}

/* One answer. Lines are short, and come whole. False: the client has gone. */
static int answer(int fd)
{
	char line[256] = "answer ";
	ssize_t n = read(fd, line + 7, sizeof(line) - 7);

	if (n < 0 && errno == ECONNRESET)
		return 0;
	MUST(n);
	return n > 0 && write(fd, line, 7 + n) == 7 + n;
}

static void *serve_all(void *unused)
{
	for (;;) {
		int fd = accept(listener, NULL, NULL);

		MUST(fd);
		while (answer(fd))
			;
		close(fd);
	}
	return unused;
}

static void *serve_one(void *fd)
{
	while (answer((long)fd))
		;
	close((long)fd);
	return NULL;
}

static void threads(void)
{
	for (;;) {
		pthread_t id;
		long fd = accept(listener, NULL, NULL);

		MUST(fd);
		MUST(-pthread_create(&id, NULL, serve_one, (void *)fd));
		pthread_detach(id);
	}
}

static void pool(void)
{
	pthread_t id;

	for (int i = 0; i < 7; i++)
		MUST(-pthread_create(&id, NULL, serve_all, NULL));
	serve_all(NULL);
}

static void forking(void)
{
	for (;;) {
		int fd = accept(listener, NULL, NULL);
		pid_t child;

		MUST(fd);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		MUST(child = fork());
		if (!child) {
			serve_one((void *)(long)fd);
			_exit(0);
		}
		close(fd);
	}
}

static void epolling(void)
{
	int set = epoll_create1(0);
	struct epoll_event event = { .events = EPOLLIN, .data.fd = listener };

	MUST(set);
	MUST(epoll_ctl(set, EPOLL_CTL_ADD, listener, &event));
	for (;;) {
		MUST(epoll_wait(set, &event, 1, -1));
		if (event.data.fd == listener) {
			event.data.fd = accept(listener, NULL, NULL);
			MUST(event.data.fd);
			MUST(epoll_ctl(set, EPOLL_CTL_ADD, event.data.fd, &event));
		} else if (!answer(event.data.fd)) {
			close(event.data.fd);
		}
	}
}

static void polling(void)
{
	static struct pollfd all[64];
	int n = 1;

	all[0] = (struct pollfd){ .fd = listener, .events = POLLIN };
	for (;;) {
		/* A time that passes now and then: poll(2) is then restarted in another way. */
		MUST(poll(all, n, 1000));
		for (int i = n - 1; i > 0; i--)
			if (all[i].revents && !answer(all[i].fd)) {
				close(all[i].fd);
				all[i] = all[--n];
			}
		if (all[0].revents && n < 64) {
			all[n] = (struct pollfd){ .fd = accept(listener, NULL, NULL), .events = POLLIN };
			MUST(all[n++].fd);
		}
	}
}

static void datagrams(void)
{
	for (;;) {
		char line[256] = "answer ";
		struct sockaddr_in from;
		socklen_t len = sizeof(from);
		ssize_t n = recvfrom(listener, line + 7, sizeof(line) - 7, 0, (void *)&from, &len);

		MUST(n);
		MUST(sendto(listener, line, 7 + n, 0, (void *)&from, len));
	}
}

int main(int argc, char **argv)
{
	const struct { const char *name; void (*serve)(void); } kinds[] = {
		{ "epoll", epolling }, { "poll", polling }, { "pool", pool }, { "fork", forking },
		{ "threads", threads }, { "unix", threads }, { "udp", datagrams },
	};

	if (argc < 3)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	if (!strcmp(argv[1], "unix"))
		listener = unix_socket(argv[2]);
	else
		listener = inet_socket(!strcmp(argv[1], "udp") ? SOCK_DGRAM : SOCK_STREAM, argv[2]);
	if (strcmp(argv[1], "udp"))
		MUST(listen(listener, 64));
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, argv[1]))
			kinds[i].serve();
	return 2;
}
