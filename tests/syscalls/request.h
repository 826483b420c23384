// TRY(REQUEST, ARGUMENT, "text", ...): makes a request without a descriptor, which fails, and prints the line that Stride must show for it.
#include "result.h"
#include <sys/ioctl.h>

#define TRY(what, arg, shown, ...) \
	do { \
		int r = ioctl(-1, what, arg); \
		printf("ioctl(-1, " #what ", " shown ") = %s\n", ##__VA_ARGS__, result(r)); \
	} while (0)
