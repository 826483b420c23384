// case: two processes take two file locks in opposite order
// ends: hang
// first: deadlock
// first: a.lock|b.lock
// useful: a.lock|b.lock|lock
// saves: nothing: the program never ends
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	int corrected = argc > 1 && strcmp(argv[1], "corrected") == 0;
	int ready[2], go[2];
	if (pipe(ready) || pipe(go))
		return 1;
	close(open("a.lock", O_CREAT | O_RDWR, 0600));
	close(open("b.lock", O_CREAT | O_RDWR, 0600));
	for (int i = 0; i < 2; i++)
		if (fork() == 0) {
			char c;
			int one = open(i && !corrected ? "b.lock" : "a.lock", O_RDWR);
			int two = open(i && !corrected ? "a.lock" : "b.lock", O_RDWR);
			if (corrected) {
				flock(one, LOCK_EX);
				flock(two, LOCK_EX);
				_exit(0);
			}
			flock(one, LOCK_EX);
			if (write(ready[1], "x", 1) != 1 || read(go[0], &c, 1) != 1)
				_exit(1);
			flock(two, LOCK_EX);
			_exit(0);
		}
	if (!corrected) {
		char c[2];
		for (int n = 0; n < 2;)
			n += read(ready[0], c, 2);
		if (write(go[1], "xx", 2) != 2)
			return 1;
	}
	close(open("stuck", O_CREAT | O_RDWR, 0600));
	while (wait(NULL) > 0)
		;
	return 0;
}
