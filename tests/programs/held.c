// Waits whose other ends are known: a thread waits for a lock that the first thread holds, and the first thread for the end of the other;
// a child waits at a socket for its parent.
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *wait(void *unused) {
	pthread_mutex_lock(&lock);
	return unused;
}

int main(void) {
	int ends[2];
	char byte;
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ends[1]);
		return recv(ends[0], &byte, 1, 0);
	}
	close(ends[0]);
	pthread_t thread;
	pthread_mutex_lock(&lock);
	pthread_create(&thread, 0, wait, 0);
	return pthread_join(thread, 0);
}
