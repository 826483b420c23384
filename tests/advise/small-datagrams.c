// finds: small-sends
// says: 4,000 datagrams
// says: Put many messages into one datagram
// Tells a collector of metrics about each of many events. Corrected, a datagram holds the lines of many events.
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	int collector = socket(AF_INET, SOCK_DGRAM, 0), out = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof at;
	if (bind(collector, (struct sockaddr *)&at, size) || getsockname(collector, (struct sockaddr *)&at, &size) ||
	    connect(out, (struct sockaddr *)&at, size))
		return 1;
	char lines[1200];
	size_t held = 0;
	for (int event = 0; event < 4000; event++) {
		char line[40];
		int length = snprintf(line, sizeof line, "orders.seen.%04d:1|c\n", event);
		if (argc > 1 && held + (size_t)length <= sizeof lines) {
			memcpy(lines + held, line, (size_t)length);
			held += (size_t)length;
			continue;
		}
		// A full buffer of the collector loses datagrams, and no more.
		if (argc > 1 && send(out, lines, held, 0) > 0)
			held = 0;
		else if (argc == 1 && send(out, line, (size_t)length, 0) < 0) // FROM main
			return 1;
	}
	close(out);
	return 0;
}
