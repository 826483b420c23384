/* Opens a configuration as often as the first argument says, and a log as often as the second says. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static __attribute__((noinline)) void load_config(void)
{
	int fd = open("config", O_CREAT | O_RDONLY, 0644); /* load_config */

	close(fd);
}

static __attribute__((noinline)) void write_log(void)
{
	int fd = open("log", O_CREAT | O_WRONLY, 0644); /* write_log */

	close(fd);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	for (int i = 0; i < atoi(argv[1]); i++)
		load_config();
	for (int i = 0; i < atoi(argv[2]); i++)
		write_log();
	return 0;
}
