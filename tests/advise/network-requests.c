// finds: network-requests
// estimate: the server makes fewer calls, too
// says: is on a network file system (fuse.sshfs) and was read in 200 requests to the server, of 16,384 bytes and
// A file on a network file system is read in small requests, each of which goes to the server and back. The server is a process of this
// program, which takes a millisecond for each request. Corrected, the program asks for 2 MiB at a time.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIECE 16384
#define REQUESTS 200
#define SIZE (PIECE * REQUESTS)

static int server;

static void reply(struct fuse_in_header *to, const void *data, size_t len) {
	struct fuse_out_header head = {.len = sizeof head + len, .unique = to->unique};
	struct iovec parts[] = {{&head, sizeof head}, {(void *)data, len}};
	if (writev(server, parts, 2) < 0)
		_exit(4);
}

static void serve(struct fuse_in_header *request) {
	static char content[SIZE];
	struct fuse_attr attr = {.ino = 1, .size = SIZE, .mode = S_IFREG | 0600, .nlink = 1, .blksize = 4096};
	struct fuse_init_out init = {.major = FUSE_KERNEL_VERSION,
				     .minor = FUSE_KERNEL_MINOR_VERSION,
				     .flags = FUSE_MAX_PAGES,
				     .max_pages = 256,
				     .max_write = 1 << 20};
	struct fuse_attr_out attributes = {.attr_valid = 60, .attr = attr};
	/* No page of the file is kept. */
	struct fuse_open_out opened = {.open_flags = FOPEN_DIRECT_IO | FOPEN_NOFLUSH};
	struct fuse_read_in *read = (void *)(request + 1);
	switch (request->opcode) {
	case FUSE_INIT:
		return reply(request, &init, sizeof init);
	case FUSE_GETATTR:
		return reply(request, &attributes, sizeof attributes);
	case FUSE_OPEN:
		return reply(request, &opened, sizeof opened);
	case FUSE_READ:
		usleep(1000);
		return reply(request, content, read->offset >= SIZE ? 0 : read->size < SIZE - read->offset ? read->size : SIZE - read->offset);
	case FUSE_RELEASE:
		return reply(request, NULL, 0);
	}
}

int main(int argc, char **argv) {
	(void)argv;
	size_t piece = argc > 1 ? 2 << 20 : PIECE;
	static char request[2 << 20], buffer[2 << 20];
	char options[100], *here = getcwd(NULL, 0), path[4200];
	snprintf(path, sizeof path, "%s/remote", here);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	server = open("/dev/fuse", O_RDWR);
	snprintf(options, sizeof options, "fd=%d,rootmode=100000,user_id=0,group_id=0", server);
	if (server < 0 || unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("host:/data", path, "fuse.sshfs", 0, options)) {
		fputs("this user may not mount a file system (FUSE)\n", stderr);
		return 77;
	}
	if (fork() == 0) {
		while (read(server, request, sizeof request) > 0)
			serve((struct fuse_in_header *)request);
		_exit(0);
	}
	/* The server ends when the file system is gone, with the mount namespace of the two: the server must not hold the last one. */
	close(server);
	int file = open(path, O_RDONLY);
	if (file < 0)
		return 1;
	while (read(file, buffer, piece) > 0)
		;
	close(file);
	umount2(path, MNT_DETACH);
	wait(NULL);
	return 0;
}
