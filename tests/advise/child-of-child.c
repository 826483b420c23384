// finds: short-children
// estimate: what is saved is time, which the calls of the children are no measure of
// says: ran /bin/true
// For each item, starts a child that starts a program, as a shell does for $(echo "$item" | cut ...); corrected, once for
// all items.
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	char *args[] = {"true", "an", "item", NULL};
	for (int i = 0; i < (argc > 1 ? 1 : 100); i++) {
		if (fork() == 0) {
			if (vfork() == 0) {
				execv("/bin/true", args);
				_exit(1);
			}
			wait(NULL);
			_exit(0);
		}
		wait(NULL);
	}
	return 0;
}
