// stride: -e trace=?socket,?bind,?getsockname,?accept,?sendto,?send,?recv,?setsockopt,?socketpair,?socketcall,?ipc,?semget,?semop,?semctl,?msgget,?msgsnd,?msgrcv,?msgctl,?shmget,?shmctl,?shmdt,?select,?mmap,ioctl -a1
// Calls of i386 that stand for others: socketcall, ipc, and the first select and mmap. They are shown as the calls that are meant.
#include "i386.h"

#ifdef __x86_64__
static uint32_t *words;

static long sock(int which, uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f)
{
	uint32_t args[] = { a, b, c, d, e, f };

	memcpy(words, args, sizeof(args));
	return call(102, which, P(words), 0, 0, 0, 0);
}

static long ipc(int which, long first, long second, long third, long ptr, long fifth)
{
	return call(117, which, first, second, third, ptr, fifth);
}

int main(void)
{
	char *low = low_memory();
	char *buf = low + 4096;
	uint32_t *len = (uint32_t *)(low + 8192);

	words = (uint32_t *)low;
	chdir("MARKER");

	/* socket, bind, getsockname */
	int fd = sock(1, 1, 2, 0, 0, 0, 0);
	printf("socket(AF_UNIX, SOCK_DGRAM, 0) = %d\n", fd);
	memcpy(buf, "\1\0\0folded", 9);
	sock(2, fd, P(buf), 9, 0, 0, 0);
	printf("bind(%d, {sa_family=AF_UNIX, sun_path=@\"folded\"}, 9) = 0\n", fd);
	*len = 110;
	sock(6, fd, P(buf), P(len), 0, 0, 0);
	printf("getsockname(%d, {sa_family=AF_UNIX, sun_path=@\"folded\"}, [110 => 9]) = 0\n", fd);
	/* accept, which has no number of its own on i386 */
	sock(5, fd, 0, 0, 0, 0, 0);
	printf("accept(%d, NULL, NULL) = -1 EOPNOTSUPP (Operation not supported)\n", fd);
	/* socketpair, send, recv, sendto, setsockopt */
	sock(8, 1, 1, 0, P(buf), 0, 0);
	uint32_t *pair = (uint32_t *)buf;
	int one = pair[0], other = pair[1];
	printf("socketpair(AF_UNIX, SOCK_STREAM, 0, [%d, %d]) = 0\n", one, other);
	strcpy(buf, "folded text");
	sock(9, one, P(buf), 6, 0x4000, 0, 0);
	printf("send(%d, \"folded\", 6, MSG_NOSIGNAL) = 6\n", one);
	memset(buf, 0, 6);
	sock(10, other, P(buf), 100, 0, 0, 0);
	printf("recv(%d, \"folded\", 100, 0) = 6\n", other);
	sock(11, one, P(buf), 3, 0, 0, 0);
	printf("sendto(%d, \"fol\", 3, 0, NULL, 0) = 3\n", one);
	*len = 1;
	sock(14, one, 1, 7, P(len), 4, 0);
	printf("setsockopt(%d, SOL_SOCKET, SO_SNDBUF, [1], 4) = 0\n", one);
	/* Numbers that mean nothing, and arguments that are not there. */
	sock(21, 0, 0, 0, 0, 0, 0);
	printf("socketcall(21, 0x%lx) = -1 EINVAL (Invalid argument)\n", P(words));
	call(102, 1, 16, 0, 0, 0, 0);
	printf("socketcall(1, 0x10) = -1 EFAULT (Bad address)\n");

	/* ipc */
	int id = ipc(2, 0, 1, 0600 | 01000, 0, 0);
	printf("semget(IPC_PRIVATE, 1, IPC_CREAT|0600) = %d\n", id);
	memcpy(buf, "\0\0\1\0\0\x10", 6);
	ipc(1, id, 1, 0, P(buf), 0);
	printf("semop(%d, [{sem_num=0, sem_op=1, sem_flg=SEM_UNDO}], 1) = 0\n", id);
	*len = 0;
	ipc(3, id, 0, 0, P(len), 0);
	printf("semctl(%d, 0, IPC_RMID, NULL) = 0\n", id);
	id = ipc(13, 0, 0600 | 01000, 0, 0, 0);
	printf("msgget(IPC_PRIVATE, IPC_CREAT|0600) = %d\n", id);
	memcpy(buf, "\7\0\0\0text", 8);
	ipc(11, id, 4, 04000, P(buf), 0);
	printf("msgsnd(%d, {mtype=7, mtext=\"text\"}, 4, IPC_NOWAIT) = 0\n", id);
	words[0] = P(buf + 64);
	words[1] = 7;
	ipc(12, id, 4, 0, P(words), 0);
	printf("msgrcv(%d, {mtype=7, mtext=\"text\"}, 4, 7, 0) = 4\n", id);
	ipc(14, id, 0, 0, 0, 0);
	printf("msgctl(%d, IPC_RMID, NULL) = 0\n", id);
	ipc(22, 0, 0, 0, 0, 0);
	printf("shmdt(NULL) = -1 EINVAL (Invalid argument)\n");

	/* select and mmap with arguments in memory */
	memset(words, 0, 20);
	words[4] = P(buf);
	memset(buf, 0, 8);
	call(82, P(words), 0, 0, 0, 0, 0);
	printf("select(0, NULL, NULL, NULL, {tv_sec=0, tv_usec=0}) = 0 (Timeout)\n");
	uint32_t map[] = { 0, 4096, 1, 0x22, (uint32_t)-1, 0 };
	memcpy(words, map, sizeof(map));
	long at = call(90, P(words), 0, 0, 0, 0, 0);
	printf("mmap(NULL, 4096, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x%x\n", (uint32_t)at);

	/* BLKBSZSET: the size of an address is part of the number. */
	*len = 512;
	call(54, -1, 0x40041271, P(len), 0, 0, 0);
	printf("ioctl(-1, BLKBSZSET, [512]) = -1 EBADF (Bad file descriptor)\n");
	return 0;
}
#endif
