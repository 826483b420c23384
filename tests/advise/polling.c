// finds: polling
// estimate: few calls are saved, most of the change is waiting
// says: asked whether a child had ended and slept
// Each of several children is waited for by asking and sleeping. Corrected, it is waited for.
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	for (int i = 0; i < 6; i++) {
		pid_t child = fork();
		if (child == 0) {
			usleep(120000);
			return 0;
		}
		if (argc > 1)
			waitpid(child, NULL, 0);
		else
			while (waitpid(child, NULL, WNOHANG) == 0) // FROM main
				usleep(50000);
	}
	return 0;
}
