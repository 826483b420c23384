// finds:
// estimate: nothing is found
// A program starts a server that has threads for work, asks it, computes for more than a second, and ends it. The server's threads wait for work then. That is no hang.
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;

static void *worker(void *unused) {
	pthread_mutex_lock(&lock);
	for (;;)
		pthread_cond_wait(&work, &lock);
	return unused;
}

static void serve(int listener) {
	pthread_t thread;
	for (int i = 0; i < 4; i++)
		pthread_create(&thread, NULL, worker, NULL);
	int loop = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN};
	epoll_ctl(loop, EPOLL_CTL_ADD, listener, &event);
	while (epoll_wait(loop, &event, 1, -1) == 1) {
		char request[64];
		int client = accept(listener, NULL, NULL);
		if (read(client, request, sizeof request) > 0 && write(client, "ok", 2) != 2)
			_exit(1);
		close(client);
	}
}

static double now(void) {
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(void) {
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof at;
	if (bind(listener, (struct sockaddr *)&at, length) || listen(listener, 8) ||
	    getsockname(listener, (struct sockaddr *)&at, &length))
		return 1;
	pid_t server = fork();
	if (server == 0)
		serve(listener);
	char answer[64];
	int connection = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(connection, (struct sockaddr *)&at, length) || write(connection, "get", 3) != 3 ||
	    read(connection, answer, sizeof answer) != 2)
		return 1;
	for (double until = now() + 1.3; now() < until;)
		;
	kill(server, SIGTERM);
	waitpid(server, NULL, 0);
	return 0;
}
