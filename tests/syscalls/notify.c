// stride: -e trace=inotify_init1,inotify_add_watch,inotify_rm_watch,fanotify_init,fanotify_mark,eventfd2,userfaultfd -a1
// Descriptors that report events.
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	chdir("MARKER");

	int fd = inotify_init1(IN_CLOEXEC);
	printf("inotify_init1(IN_CLOEXEC) = %d\n", fd);
	int wd = inotify_add_watch(fd, "/", IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
	printf("inotify_add_watch(%d, \"/\", IN_MOVED_TO|IN_CREATE|IN_ONLYDIR) = %d\n", fd, wd);
	inotify_rm_watch(fd, wd);
	printf("inotify_rm_watch(%d, %d) = 0\n", fd, wd);
	inotify_add_watch(-1, NULL, 0);
	printf("inotify_add_watch(-1, NULL, 0) = -1 EINVAL (Invalid argument)\n");
	inotify_init1(1);
	printf("inotify_init1(0x1 /* IN_??? */) = -1 EINVAL (Invalid argument)\n");
	syscall(SYS_fanotify_init, 0x80000c, 1);
	printf("fanotify_init(0xc /* FAN_CLASS_??? */|0x800000 /* FAN_??? */, O_WRONLY) = -1 EINVAL (Invalid argument)\n");
	syscall(SYS_fanotify_mark, -1, 0x800, 0x40000002L, -1, "/");
	printf("fanotify_mark(-1, 0x800 /* FAN_MARK_??? */, FAN_MODIFY|FAN_ONDIR, FAN_NOFD, \"/\") = -1 EINVAL (Invalid argument)\n");
	fd = eventfd(7, EFD_CLOEXEC | EFD_SEMAPHORE);
	printf("eventfd2(7, EFD_SEMAPHORE|EFD_CLOEXEC) = %d\n", fd);
	syscall(SYS_userfaultfd, 0x40000001);
	printf("userfaultfd(UFFD_USER_MODE_ONLY|0x40000000) = -1 EINVAL (Invalid argument)\n");
	fflush(stdout);
	_exit(0);
}
