// stride: -e trace=ioctl -a1
// Requests of GPIO chips and of lines. There is no chip, so all of them fail: what the kernel would fill in is not shown.
#define _GNU_SOURCE
#include <linux/gpio.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "result.h"

int main(void)
{
	struct gpioline_info line = { .line_offset = 7 };
	struct gpiohandle_request handle = {
		.lineoffsets = { 3, 4, 5 }, .flags = GPIOHANDLE_REQUEST_OUTPUT, .default_values = { 1, 0 }, .consumer_label = "test", .lines = 2
	};
	struct gpioevent_request event = { 4, GPIOHANDLE_REQUEST_INPUT, GPIOEVENT_REQUEST_BOTH_EDGES, "test" };
	struct gpio_v2_line_config config = { .flags = GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_RISING };
	struct gpio_v2_line_request request = { .offsets = { 8 }, .consumer = "test", .num_lines = 1, .event_buffer_size = 16 };
	struct gpio_v2_line_values values = { .bits = 1, .mask = 3 };
	unsigned offset = 7;

	chdir("MARKER");

#define TRY(what, memory, shown) \
	do { \
		int r = ioctl(-1, what, memory); \
		printf("ioctl(-1, " #what ", %s) = %s\n", shown, result(r)); \
	} while (0)
	TRY(GPIO_GET_CHIPINFO_IOCTL, NULL, "NULL");
	TRY(GPIO_GET_LINEINFO_IOCTL, &line, "{line_offset=7}");
	TRY(GPIO_GET_LINEINFO_UNWATCH_IOCTL, &offset, "{offset=7}");
	TRY(GPIO_GET_LINEHANDLE_IOCTL, &handle,
	    "{lines=2, lineoffsets=[3, 4], flags=GPIOHANDLE_REQUEST_OUTPUT, default_values=[1, 0], consumer_label=\"test\"}");
	TRY(GPIO_GET_LINEEVENT_IOCTL, &event,
	    "{lineoffset=4, handleflags=GPIOHANDLE_REQUEST_INPUT, eventflags=GPIOEVENT_REQUEST_BOTH_EDGES, consumer_label=\"test\"}");
	TRY(GPIO_V2_GET_LINE_IOCTL, &request,
	    "{num_lines=1, offsets=[8], consumer=\"test\", config={flags=0, num_attrs=0}, event_buffer_size=16}");
	TRY(GPIO_V2_LINE_GET_VALUES_IOCTL, &values, "{mask=0x3}");
	TRY(GPIO_V2_LINE_SET_VALUES_IOCTL, &values, "{bits=0x1, mask=0x3}");
	TRY(GPIO_V2_LINE_SET_CONFIG_IOCTL, &config, "{flags=GPIO_V2_LINE_FLAG_INPUT|GPIO_V2_LINE_FLAG_EDGE_RISING, num_attrs=0}");
	config.num_attrs = 2;
	config.attrs[0].attr.id = GPIO_V2_LINE_ATTR_ID_DEBOUNCE;
	config.attrs[0].attr.debounce_period_us = 50;
	config.attrs[0].mask = 1;
	config.attrs[1].attr.id = 9;
	config.attrs[1].attr.padding = 5;
	config.attrs[1].attr.values = 6;
	config.padding[4] = 7;
	TRY(GPIO_V2_LINE_SET_CONFIG_IOCTL, &config,
	    "{flags=GPIO_V2_LINE_FLAG_INPUT|GPIO_V2_LINE_FLAG_EDGE_RISING, num_attrs=2, padding=[0, 0, 0, 0, 0x7], "
	    "attrs=[{debounce_period_us=50, mask=0x1}, {attr={id=9, padding=0x5, data=0x6}, mask=0}]}");
	return 0;
}
