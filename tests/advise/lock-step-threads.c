// finds: lock-step
// estimate: no call is saved, only waiting
// says: by 4 threads, of which only one at a time had a request under way
// Four threads ask a slow server, and each holds a lock while it waits for the answer. Corrected, the lock is held to store the answer.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4
#define REQUESTS 6

static struct sockaddr_in address;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int corrected, stored;

static void *answer(void *arg) {
	int client = (int)(long)arg;
	char c;
	while (read(client, &c, 1) == 1) {
		struct timespec work = {0, 40 * 1000 * 1000};
		nanosleep(&work, NULL);
		if (write(client, &c, 1) != 1)
			break;
	}
	close(client);
	return NULL;
}

static void serve(int listener) {
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, answer, (void *)(long)accept(listener, NULL, NULL));
		pthread_detach(thread);
	}
	pthread_exit(NULL);
}

static void ask(int server) {
	char c = 'x';
	if (write(server, &c, 1) != 1 || read(server, &c, 1) != 1) // FROM ask
		exit(1);
}

static void *client(void *arg) {
	int server = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(server, (struct sockaddr *)&address, sizeof address))
		exit(1);
	for (int i = 0; i < REQUESTS; i++) {
		if (!corrected)
			pthread_mutex_lock(&lock);
		ask(server);
		if (corrected)
			pthread_mutex_lock(&lock);
		stored++;
		pthread_mutex_unlock(&lock);
		// Another thread gets the lock meanwhile.
		usleep(1000);
	}
	close(server);
	return arg;
}

int main(int argc, char **argv) {
	(void)argv;
	corrected = argc > 1;
	socklen_t size = sizeof address;
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&address, size) || getsockname(listener, (struct sockaddr *)&address, &size) ||
	    listen(listener, THREADS))
		return 1;
	pid_t server = fork();
	if (server == 0)
		serve(listener);
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, client, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	waitpid(server, NULL, 0);
	return stored != THREADS * REQUESTS;
}
