// finds: reopened
// says: to write to it, and closed each time
// never: although it had not changed
// A journal is opened for each page, and read once at the end. Corrected, it stays open.
#include <fcntl.h>
#include <unistd.h>

enum { PAGES = 400, PAGE = 8192 };

static int journal = -1;
static char page[PAGE];

static void note(int keep) {
	if (journal < 0)
		journal = open("journal", O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (write(journal, page, PAGE) != PAGE)
		_exit(1);
	if (!keep) {
		close(journal);
		journal = -1;
	}
}

int main(int argc, char **argv) {
	(void)argv;
	static char all[PAGES * PAGE];
	for (int i = 0; i < PAGES; i++)
		note(argc > 1);
	int whole = open("journal", O_RDONLY);
	return read(whole, all, sizeof all) != sizeof all;
}
