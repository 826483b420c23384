// The text that Stride shows behind the = of a call that has just returned.
// strerrorname_np(3) is an extension. Undeclared, it would return half a pointer, and the tests are compiled without warnings.
#ifndef _GNU_SOURCE
#error "define _GNU_SOURCE before the first #include"
#endif
#include <errno.h>
#include <stdio.h>
#include <string.h>

static char text[128];

static const char *result(long r)
{
	if (r == -1)
		snprintf(text, sizeof text, "-1 %s (%s)", strerrorname_np(errno), strerror(errno));
	else
		snprintf(text, sizeof text, "%ld", r);
	return text;
}
