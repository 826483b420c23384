// case: the header and the body of a request are sent separately, and the answer comes 40 ms late (Nagle, delayed ACK)
// peer: server
// first: 127.0.0.1
// first: send|small|Nagle|TCP_NODELAY
// useful: 127.0.0.1
// saves: time
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int server(void) {
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof a;
	int l = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(l, (struct sockaddr *)&a, len) || listen(l, 5) || getsockname(l, (struct sockaddr *)&a, &len))
		return 1;
	FILE *f = fopen("peer.new", "w");
	fprintf(f, "%d", ntohs(a.sin_port));
	fclose(f);
	rename("peer.new", "peer.ready");
	for (;;) {
		int c = accept(l, NULL, NULL), got = 0;
		char buf[64];
		ssize_t n;
		while ((n = read(c, buf, sizeof buf)) > 0)
			for (got += n; got >= 24; got -= 24)
				if (write(c, "ok", 2) != 2)
					break;
		close(c);
	}
}

int main(int argc, char **argv) {
	if (argc > 1 && strcmp(argv[1], "server") == 0)
		return server();
	char port[16] = "", head[8] = "HEAD", body[16] = "BODY", whole[24] = "HEAD";
	FILE *f = fopen("peer.ready", "r");
	if (!fgets(port, sizeof port, f))
		return 1;
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(atoi(port))};
	int s = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(s, (struct sockaddr *)&a, sizeof a))
		return 1;
	for (int i = 0; i < 100; i++) {
		char answer[2];
		if (argc > 1) {
			if (send(s, whole, sizeof whole, 0) != sizeof whole)
				return 1;
		} else if (send(s, head, sizeof head, 0) != sizeof head || send(s, body, sizeof body, 0) != sizeof body)
			return 1;
		for (ssize_t got = 0, n; got < 2; got += n)
			if ((n = recv(s, answer, 2 - got, 0)) <= 0)
				return 1;
	}
	return 0;
}
