// What Stride shows behind the = of a call that has just returned.
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
