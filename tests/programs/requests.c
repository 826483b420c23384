// A server that answers requests in one of several ways, and its clients in another process. Prints for how long all requests lasted at least: from the
// moment at which the server had the first bytes to the moment at which it was about to send the last ones. (Behind a send, the woken client may have the CPU.)
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CLIENTS = 3, REQUESTS = 8, WORKERS = 2, WORK = 5000000 };

struct job {
	int connection;
	long since;
};

static struct job queue[CLIENTS];
static int queued;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static long requests, lasted;

static long now(void) {
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000l + time.tv_nsec;
}

static void answered(long took) {
	pthread_mutex_lock(&lock);
	requests++;
	lasted += took;
	pthread_mutex_unlock(&lock);
}

static void work(int sleeps) {
	long since = now();
	struct timespec time = {0, WORK};
	if (sleeps)
		nanosleep(&time, 0);
	while (now() - since < WORK)
		;
}

// Jobs come through a queue. The work is a sleep.
static void *worker(void *unused) {
	for (;;) {
		pthread_mutex_lock(&lock);
		while (queued == 0)
			pthread_cond_wait(&filled, &lock);
		struct job job = queue[0];
		memmove(queue, queue + 1, --queued * sizeof *queue);
		pthread_mutex_unlock(&lock);
		if (job.connection < 0)
			return unused;
		work(1);
		long took = now() - job.since;
		send(job.connection, "done", 4, 0);
		answered(took);
	}
}

static void enqueue(int connection, long since) {
	pthread_mutex_lock(&lock);
	queue[queued++] = (struct job){connection, since};
	pthread_cond_signal(&filled);
	pthread_mutex_unlock(&lock);
}

static void serve_by_queue(int listening) {
	pthread_t workers[WORKERS];
	struct pollfd open[CLIENTS];
	char request[16];
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], 0, worker, 0);
	for (int i = 0; i < CLIENTS; i++)
		open[i] = (struct pollfd){accept(listening, 0, 0), POLLIN, 0};
	for (int left = CLIENTS; left > 0;) {
		poll(open, CLIENTS, -1);
		for (int i = 0; i < CLIENTS; i++) {
			if (open[i].fd < 0 || !(open[i].revents & (POLLIN | POLLHUP)))
				continue;
			if (recv(open[i].fd, request, sizeof request, 0) > 0) {
				enqueue(open[i].fd, now());
			} else {
				close(open[i].fd);
				open[i].fd = -1;
				left--;
			}
		}
	}
	for (int i = 0; i < WORKERS; i++)
		enqueue(-1, 0);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], 0);
}

// A thread for each connection. The work is computing.
static void *conversation(void *given) {
	int connection = (int)(long)given;
	char request[16];
	while (read(connection, request, sizeof request) > 0) {
		long since = now();
		work(0);
		write(connection, "do", 2);
		long took = now() - since;
		write(connection, "ne", 2);
		answered(took);
	}
	close(connection);
	return 0;
}

static void serve_by_threads(int listening) {
	pthread_t threads[CLIENTS];
	for (int i = 0; i < CLIENTS; i++)
		pthread_create(&threads[i], 0, conversation, (void *)(long)accept(listening, 0, 0));
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(threads[i], 0);
}

static void *client(void *address) {
	int server = socket(AF_INET, SOCK_STREAM, 0);
	char answer[4];
	if (connect(server, address, sizeof(struct sockaddr_in)) != 0)
		exit(1);
	for (int i = 0; i < REQUESTS; i++) {
		send(server, "please", 6, 0);
		if (recv(server, answer, sizeof answer, MSG_WAITALL) != sizeof answer)
			exit(1);
	}
	close(server);
	return 0;
}

int main(int argc, char **argv) {
	struct sockaddr_in address = {AF_INET, 0, {htonl(INADDR_LOOPBACK)}};
	socklen_t length = sizeof address;
	int listening = socket(AF_INET, SOCK_STREAM, 0);
	if (argc < 2 || bind(listening, (struct sockaddr *)&address, sizeof address) != 0 || listen(listening, CLIENTS) != 0 ||
	    getsockname(listening, (struct sockaddr *)&address, &length) != 0)
		return 1;
	pid_t clients = fork();
	if (clients == 0) {
		pthread_t threads[CLIENTS];
		close(listening);
		for (int i = 0; i < CLIENTS; i++)
			pthread_create(&threads[i], 0, client, &address);
		for (int i = 0; i < CLIENTS; i++)
			pthread_join(threads[i], 0);
		return 0;
	}
	if (strcmp(argv[1], "queue") == 0)
		serve_by_queue(listening);
	else
		serve_by_threads(listening);
	int status;
	waitpid(clients, &status, 0);
	printf("%ld %ld\n", requests, lasted);
	return status != 0;
}
