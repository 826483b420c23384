// finds: facts
// estimate: what comes with each look is not counted
// says: because it sets the time zone again and again
// never: TZ is not set
// Converts times of two zones in turn, and sets the zone for each. Corrected, all times of one zone come first.
#include <stdlib.h>
#include <time.h>

enum { TIMES = 400 };

static int wall_clock(const char *zone, time_t at) {
	setenv("TZ", zone, 1);
	tzset(); // FROM wall_clock
	return localtime(&at)->tm_hour;
}

int main(int argc, char **argv) {
	(void)argv;
	int sum = 0;
	for (int i = 0; i < TIMES; i++) {
		int first = argc > 1 ? i < TIMES / 2 : i % 2;
		sum += wall_clock(first ? "Europe/Berlin" : "Asia/Tokyo", i * 3600);
	}
	return sum < 0;
}
