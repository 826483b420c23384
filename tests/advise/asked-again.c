// finds: asked-again
// says: was asked the same thing 139 times in a row
// says: and answered alike; the program slept and asked again
// A worker asks a queue for a job each 3 ms. Corrected, it asks once, and the queue answers when there is a job.
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 140 };

int main(int argc, char **argv) {
	(void)argv;
	int waits = argc > 1;
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof at;
	if (bind(listener, (void *)&at, size) || listen(listener, 1) || getsockname(listener, (void *)&at, &size))
		return 77;
	char message[64];
	if (fork() == 0) {
		int client = accept(listener, NULL, NULL);
		for (int i = 0; recv(client, message, sizeof message, 0) > 0; i++) {
			const char *answer = waits || i >= ROUNDS ? "a job\r\n" : "-EMPTY\r\n";
			if (waits)
				usleep(3200 * ROUNDS);
			if (send(client, answer, strlen(answer), 0) < 0)
				return 1;
		}
		return 0;
	}
	int queue = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(queue, (void *)&at, sizeof at))
		return 1;
	close(listener);
	for (;;) {
		if (send(queue, "POP jobs\r\n", 10, 0) != 10) // FROM main
			return 1;
		if (recv(queue, message, sizeof message, 0) <= 0 || message[0] != '-')
			break;
		usleep(3000);
	}
	close(queue);
	return wait(NULL) < 0;
}
