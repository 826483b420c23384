// Waits until Stride has shown calls, which it writes to the file `log`. What a program does then cannot be what the eBPF engine saw.
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static char log_text[1 << 16];

static const char *text_of(const char *path)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, log_text, sizeof(log_text) - 1);

	close(fd);
	log_text[n > 0 ? n : 0] = 0;
	return n < 0 ? NULL : log_text;
}

/*
 * Until the text has been shown so many times. Without a log, and after two seconds, the program goes on; and with a tracer that stops it
 * (ptrace), because such a tracer has looked at everything by then.
 */
static void wait_until_shown(const char *text, int times)
{
	const char *status = text_of("/proc/self/status");

	if (status && !strstr(status, "TracerPid:\t0\n"))
		return;
	for (int left = 2000; left > 0; left--) {
		const char *log = text_of("log"), *at = log;
		int shown = 0;

		for (; at && (at = strstr(at, text)); at++)
			shown++;
		if (!log || shown >= times)
			return;
		usleep(1000);
	}
}
