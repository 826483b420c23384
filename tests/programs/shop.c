// A load to look at: some processes with names of their own, at rates that rise and fall. Ends with its parent.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int sockets[2];
static char buffer[1 << 16];

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

// A number that rises and falls between least and most in some seconds.
static int wave(double seconds, int least, int most) {
	double rounds = now() / seconds, part = (rounds - (long)rounds) * 2;
	return least + (most - least) * (part < 1 ? part : 2 - part);
}

static void nap(int ms) {
	struct timespec t = {0, ms * 1000000L};
	nanosleep(&t, 0);
}

static void web(void) {
	for (;; nap(10))
		for (int i = wave(24, 2, 24); i > 0; i--) {
			struct pollfd answer = {sockets[0], POLLIN};
			write(sockets[0], buffer, 400);
			poll(&answer, 1, -1);
			read(sockets[0], buffer, sizeof buffer);
		}
}

static void api(void) {
	for (int n = 0; read(sockets[1], buffer, sizeof buffer) > 0; n++) {
		struct stat st;
		if (n % 4 == 0)
			stat("/etc/shop/prices.json", &st);
		write(sockets[1], buffer, 2000);
	}
}

static void thumbnails(void) {
	int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_WRONLY);
	for (;; nap(8)) {
		double begun = now();
		unsigned sum = 0;
		for (int i = wave(15, 1, 6); i > 0; i--)
			write(null, buffer, read(zero, buffer, sizeof buffer));
		while (now() - begun < wave(15, 4, 16) / 1000.0)
			sum += buffer[sum % sizeof buffer] + 1;
		buffer[0] = sum;
	}
}

static void cache(void) {
	int file = open("/proc/self/exe", O_RDONLY);
	for (int n = 0;; n++) {
		poll(0, 0, 5);
		pread(file, buffer, 4096, 0);
		if (n % 50 == 0)
			open("/var/cache/shop/index", O_RDONLY);
	}
}

static void mailer(void) {
	for (;; nap(200))
		access("/var/spool/shop/outbox", R_OK);
}

static void start(const char *name, uid_t user, void (*work)(void)) {
	if (fork() != 0)
		return;
	prctl(PR_SET_NAME, name);
	// (Without privileges, all run as the same user.)
	setuid(user);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	work();
	_exit(0);
}

int main(void) {
	socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
	start("web", 33, web);
	start("api", 33, api);
	start("thumbnails", 65534, thumbnails);
	start("cache", 1, cache);
	start("mailer", 8, mailer);
	for (;;)
		pause();
}
