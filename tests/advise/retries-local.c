// finds: retries
// says: Connecting to
// says: in a row
// Connects to a server whose socket in the file system is not there yet; corrected, it waits twice as long after each failure.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	struct sockaddr_un to = {.sun_family = AF_UNIX, .sun_path = "server.sock"};
	for (int i = 0; i < (argc > 1 ? 6 : 400); i++) {
		int s = socket(AF_UNIX, SOCK_STREAM, 0);
		if (connect(s, (struct sockaddr *)&to, sizeof to) == 0)
			return 1;
		close(s);
		usleep(argc > 1 ? 2100 << i : 200);
	}
	return 0;
}
