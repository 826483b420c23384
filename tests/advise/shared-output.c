// finds: tiny-writes
// says: who      writer (pid
// never: who program
// The process that opened the report writes nothing to it. Its child has the report as standard output and writes
// number by number. Corrected, it collects the numbers.
#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	int report = open("report", O_CREAT | O_WRONLY | O_TRUNC, 0644);
	if (report < 0)
		return 1;
	pid_t child = fork();
	if (child == 0) {
		prctl(PR_SET_NAME, "writer");
		dup2(report, STDOUT_FILENO);
		if (argc == 1)
			setvbuf(stdout, NULL, _IONBF, 0);
		for (int i = 0; i < 2000; i++)
			printf("%d\n", i);
		fflush(stdout);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	close(report);
	return 0;
}
