// stride: -e trace=%clock,nanosleep,clock_nanosleep,timer_create,timer_settime,timer_gettime,timer_delete,/timerfd,/itimer,?alarm,times -e signal=none -a1
// Clocks, sleeps and timers. A sleep shows its remaining time if a signal cut it short.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>
#include "result.h"

static void handler(int signal) { (void)signal; }

int main(void)
{
	char out[1 << 14];
	struct timespec ts, left;
	struct timeval tv;
	struct timezone tz;
	/* There are several signals: on a busy machine the first may come before the sleep. */
	struct itimerval interval = {{0, 20000}, {0, 20000}};
	struct itimerspec spec = {{1, 2}, {3, 4}}, old;
	struct sigevent event = {0};
	int id, fd;
	long r;

	setvbuf(stdout, out, _IOFBF, sizeof out);
	signal(SIGALRM, handler);
	chdir("MARKER");

	r = syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &ts);
	printf("clock_gettime(CLOCK_MONOTONIC, {tv_sec=%ld, tv_nsec=%ld}) = 0\n", ts.tv_sec, ts.tv_nsec);
	r = syscall(SYS_clock_gettime, 99, &ts);
	printf("clock_gettime(0x63 /* CLOCK_??? */, %p) = %s\n", &ts, result(r));
	ts.tv_sec = -1;
	ts.tv_nsec = -1;
	r = syscall(SYS_clock_settime, CLOCK_MONOTONIC, &ts);
	printf("clock_settime(CLOCK_MONOTONIC, {tv_sec=-1, tv_nsec=18446744073709551615}) = %s\n", result(r));
	r = syscall(SYS_gettimeofday, &tv, &tz);
	printf("gettimeofday({tv_sec=%ld, tv_usec=%ld}, {tz_minuteswest=%d, tz_dsttime=%d}) = 0\n", tv.tv_sec, tv.tv_usec,
	       tz.tz_minuteswest, tz.tz_dsttime);
	r = syscall(SYS_settimeofday, NULL, 0x11);
	printf("settimeofday(NULL, 0x11) = %s\n", result(r));
	r = syscall(SYS_clock_adjtime, CLOCK_REALTIME, 0x11);
	printf("clock_adjtime(CLOCK_REALTIME, 0x11) = %s\n", result(r));

	ts = (struct timespec){0, 1000};
	r = syscall(SYS_nanosleep, &ts, &left);
	printf("nanosleep({tv_sec=0, tv_nsec=1000}, %p) = 0\n", &left);
	setitimer(ITIMER_REAL, &interval, NULL);
	printf("setitimer(ITIMER_REAL, {it_interval={tv_sec=0, tv_usec=20000}, it_value={tv_sec=0, tv_usec=20000}}, NULL) = 0\n");
	ts = (struct timespec){9, 0};
	r = syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &ts, &left);
	printf("clock_nanosleep(CLOCK_MONOTONIC, 0, {tv_sec=9, tv_nsec=0}, {tv_sec=%ld, tv_nsec=%ld}) = ? ERESTART_RESTARTBLOCK "
	       "(Interrupted by signal)\n",
	       left.tv_sec, left.tv_nsec);
	r = syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME | 2, 0x11, NULL);
	printf("clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME|0x2, 0x11, NULL) = %s\n", result(r));
	r = syscall(SYS_getitimer, 7, &interval);
	printf("getitimer(0x7 /* ITIMER_??? */, %p) = %s\n", &interval, result(r));
#ifdef SYS_alarm
	r = syscall(SYS_alarm, 0);
	printf("alarm(0) = %s\n", result(r));
#endif

	event.sigev_notify = SIGEV_SIGNAL;
	event.sigev_signo = SIGUSR1;
	event.sigev_value.sival_ptr = (void *)0x500000007;
	r = syscall(SYS_timer_create, CLOCK_REALTIME, &event, &id);
	printf("timer_create(CLOCK_REALTIME, {sigev_value={sival_int=7, sival_ptr=0x500000007}, sigev_signo=SIGUSR1, "
	       "sigev_notify=SIGEV_SIGNAL}, [%d]) = 0\n",
	       id);
	event.sigev_notify = 77;
	event.sigev_value.sival_ptr = NULL;
	r = syscall(SYS_timer_create, CLOCK_TAI, &event, NULL);
	printf("timer_create(CLOCK_TAI, {sigev_signo=10, sigev_notify=0x4d /* SIGEV_??? */}, NULL) = %s\n", result(r));
	r = syscall(SYS_timer_settime, id, TIMER_ABSTIME, 0x11, &old);
	printf("timer_settime(%d, TIMER_ABSTIME, 0x11, %p) = %s\n", id, &old, result(r));
	r = syscall(SYS_timer_gettime, id, &old);
	printf("timer_gettime(%d, {it_interval={tv_sec=0, tv_nsec=0}, it_value={tv_sec=0, tv_nsec=0}}) = 0\n", id);
	r = syscall(SYS_timer_delete, -1);
	printf("timer_delete(-1) = %s\n", result(r));

	fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	printf("timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC|TFD_NONBLOCK) = %d\n", fd);
	r = timerfd_settime(fd, TFD_TIMER_ABSTIME, &spec, &old);
	printf("timerfd_settime(%d, TFD_TIMER_ABSTIME, {it_interval={tv_sec=1, tv_nsec=2}, it_value={tv_sec=3, tv_nsec=4}}, "
	       "{it_interval={tv_sec=0, tv_nsec=0}, it_value={tv_sec=0, tv_nsec=0}}) = 0\n",
	       fd);
	r = timerfd_gettime(-1, &spec);
	printf("timerfd_gettime(-1, %p) = %s\n", &spec, result(r));
	r = syscall(SYS_times, 0x42);
	printf("times(0x42) = %s\n", result(r));
	fflush(stdout);
	_exit(0);
}
