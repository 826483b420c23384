// finds: search-path
// A server looks for rules in each parent directory for each request.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	static const char *rules[] = {"/.rules", "srv/.rules", "srv/www/.rules", "srv/www/html/.rules"};
	char buffer[100];
	int ends[2];
	mkdir("srv", 0755);
	mkdir("srv/www", 0755);
	mkdir("srv/www/html", 0755);
	int page = open("srv/www/html/index.html", O_CREAT | O_WRONLY, 0644);
	if (page < 0 || write(page, "hello", 5) != 5 || socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0)
		return 1;
	close(page);
	for (int i = 0; i < 100; i++) {
		if (send(ends[0], "GET", 3, 0) != 3 || recv(ends[1], buffer, sizeof buffer, 0) != 3)
			return 1;
		for (int r = 0; r < 4 && argc == 1; r++)
			if (open(rules[r], O_RDONLY) >= 0)
				return 1;
		page = open("srv/www/html/index.html", O_RDONLY);
		if (page < 0 || read(page, buffer, sizeof buffer) != 5 || send(ends[1], buffer, 5, 0) != 5)
			return 1;
		close(page);
		if (recv(ends[0], buffer, sizeof buffer, 0) != 5)
			return 1;
	}
	return 0;
}
