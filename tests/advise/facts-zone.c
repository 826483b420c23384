// finds: facts
// says: /etc/localtime was checked
// Converts times while TZ is unset. Corrected, TZ is set.
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv) {
	(void)argv;
	unsetenv("TZ");
	if (argc > 1)
		setenv("TZ", ":/etc/localtime", 1);
	int sum = 0;
	for (time_t t = 0; t < 500; t++)
		sum += localtime(&t)->tm_sec;
	return sum < 0;
}
