// case: a logger opens its file, appends a line and closes the file, for each message
// first: app.log
// first: open
// useful: app.log
// saves: calls
#include <stdio.h>
#include <string.h>

static FILE *kept;

static void message(int i, int corrected) {
	FILE *f = corrected ? kept : NULL;
	if (!f)
		f = fopen("app.log", "a");
	fprintf(f, "message %d\n", i);
	if (corrected)
		kept = f;
	else
		fclose(f);
}

int main(int argc, char **argv) {
	for (int i = 0; i < 2000; i++)
		message(i, argc > 1 && strcmp(argv[1], "corrected") == 0);
	return 0;
}
