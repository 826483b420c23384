// stride: -e trace=%ipc,mq_open,mq_unlink,mq_timedsend,mq_timedreceive,mq_getsetattr -a1
// System V IPC and POSIX message queues.
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	struct { long type; char text[16]; } msg = { 5, "hello" };
	struct sembuf up = { 0, 1, 0 }, down = { 0, -1, SEM_UNDO | IPC_NOWAIT };
	struct shmid_ds shm;
	int id, mq;
	void *at;

	chdir("MARKER");

	id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
	if (id < 0) {
		fprintf(stderr, "skip: no System V IPC here\n");
		return 77;
	}
	printf("msgget(IPC_PRIVATE, IPC_CREAT|0600) = %d\n", id);
	msgsnd(id, &msg, 5, IPC_NOWAIT);
	printf("msgsnd(%d, {mtype=5, mtext=\"hello\"}, 5, IPC_NOWAIT) = 0\n", id);
	msgrcv(id, &msg, 16, 5, 0);
	printf("msgrcv(%d, {mtype=5, mtext=\"hello\"}, 16, 5, 0) = 5\n", id);
	msgrcv(id, &msg, 16, 5, IPC_NOWAIT);
	printf("msgrcv(%d, %p, 16, 5, IPC_NOWAIT) = -1 ENOMSG (No message of desired type)\n", id, &msg);
	msgctl(id, IPC_RMID, NULL);
	printf("msgctl(%d, IPC_RMID, NULL) = 0\n", id);

	id = semget(IPC_PRIVATE, 2, 0600);
	printf("semget(IPC_PRIVATE, 2, 0600) = %d\n", id);
	syscall(SYS_semop, id, &up, 1);
	printf("semop(%d, [{sem_num=0, sem_op=1, sem_flg=0}], 1) = 0\n", id);
	syscall(SYS_semop, id, &down, 1);
	printf("semop(%d, [{sem_num=0, sem_op=-1, sem_flg=SEM_UNDO|IPC_NOWAIT}], 1) = 0\n", id);
	semctl(id, 1, SETVAL, 3);
	printf("semctl(%d, 1, SETVAL, 0x3) = 0\n", id);
	semctl(id, 0, IPC_RMID, 0);
	printf("semctl(%d, 0, IPC_RMID, NULL) = 0\n", id);

	id = shmget(0x1234567, 4096, IPC_CREAT | IPC_EXCL | 0640);
	if (id < 0)
		printf("shmget(0x1234567, 4096, IPC_CREAT|IPC_EXCL|0640) = -1 EEXIST (File exists)\n");
	else
		printf("shmget(0x1234567, 4096, IPC_CREAT|IPC_EXCL|0640) = %d\n", id);
	at = shmat(id, NULL, SHM_RDONLY);
	printf("shmat(%d, NULL, SHM_RDONLY) = %p\n", id, at);
	shmctl(id, IPC_STAT, &shm);
	printf("shmctl(%d, IPC_STAT, {shm_perm={uid=%u, gid=%u, mode=0%o, key=%u, cuid=%u, cgid=%u}, shm_segsz=%zu, shm_cpid=%d, "
	       "shm_lpid=%d, shm_nattch=%zu, shm_atime=%zu, shm_dtime=0, shm_ctime=%zu}) = 0\n", id, shm.shm_perm.uid,
	       shm.shm_perm.gid, shm.shm_perm.mode, shm.shm_perm.__key, shm.shm_perm.cuid, shm.shm_perm.cgid, shm.shm_segsz,
	       shm.shm_cpid, shm.shm_lpid, (size_t) shm.shm_nattch, (size_t) shm.shm_atime, (size_t) shm.shm_ctime);
	shmdt(at);
	printf("shmdt(%p) = 0\n", at);
	shmctl(id, IPC_RMID, NULL);
	printf("shmctl(%d, IPC_RMID, NULL) = 0\n", id);

	struct mq_attr attr = { .mq_maxmsg = 2, .mq_msgsize = 8 };
	mq = syscall(SYS_mq_open, "stride-test-queue", O_RDWR | O_CREAT | O_NONBLOCK, 0600, &attr);
	if (mq >= 0) {
		char buf[8];
		unsigned prio;

		printf("mq_open(\"stride-test-queue\", O_RDWR|O_CREAT|O_NONBLOCK, 0600, {mq_flags=0, mq_maxmsg=2, mq_msgsize=8, "
		       "mq_curmsgs=0}) = %d\n", mq);
		syscall(SYS_mq_timedsend, mq, "text", 4, 9, NULL);
		printf("mq_timedsend(%d, \"text\", 4, 9, NULL) = 0\n", mq);
		syscall(SYS_mq_getsetattr, mq, NULL, &attr);
		printf("mq_getsetattr(%d, NULL, {mq_flags=O_NONBLOCK, mq_maxmsg=2, mq_msgsize=8, mq_curmsgs=1}) = 0\n", mq);
		syscall(SYS_mq_timedreceive, mq, buf, 8, &prio, NULL);
		printf("mq_timedreceive(%d, \"text\", 8, [9], NULL) = 4\n", mq);
		syscall(SYS_mq_unlink, "stride-test-queue");
		printf("mq_unlink(\"stride-test-queue\") = 0\n");
	} else {
		printf("mq_open(\"stride-test-queue\", O_RDWR|O_CREAT|O_NONBLOCK, 0600, {mq_flags=0, mq_maxmsg=2, mq_msgsize=8, "
		       "mq_curmsgs=0}) = %d %s\n", -1, "ENOSYS (Function not implemented)");
	}
	fflush(stdout);
	_exit(0);
}
