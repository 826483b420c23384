// finds: facts
// says: looked names of hosts up
// Looks the name of its server up for each message. Corrected, it looks once.
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static int looked_up(void) {
	struct addrinfo hints, *found;
	memset(&hints, 0, sizeof hints);
	hints.ai_family = AF_INET;
	hints.ai_socktype = SOCK_DGRAM;
	if (getaddrinfo("localhost", "9", &hints, &found)) // FROM looked_up
		return 1;
	freeaddrinfo(found);
	return 0;
}

int main(int argc, char **argv) {
	(void)argv;
	for (int message = 0; message < 400; message++)
		if ((message == 0 || argc == 1) && looked_up())
			return 1;
	return 0;
}
