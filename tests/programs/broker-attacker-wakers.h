/* Attacks of broker-attacker on the names of wakers: processes that end sleeps of the attacker's own. */

/* The records of waits that name one process, or that name nobody. */
struct wakers {
	int pid;
	const char *comm;
	/* Records of earlier waits do not count. Nanoseconds of CLOCK_MONOTONIC. */
	uint64_t since;
	/* Wakers that have no name, and those that are this process; and records with its name. */
	int hidden, known, named;
};

/* A record of a wait has the time of its end at byte 16 (struct rec_wait), and ends with the waker and the thread that had the CPU, of 32 bytes each (struct waker). */
static void look_at_wakers(unsigned char *rec, uint32_t len, void *to)
{
	unsigned char *waker = rec + len - 64;
	struct wakers *all = to;
	uint64_t ended;

	if (rec[0] != REC_WAIT)
		return;
	memcpy(&ended, rec + 16, sizeof(ended));
	if (ended < all->since)
		return;
	all->hidden += waker[13] == WAKER_HIDDEN;
	all->known += ((int *)waker)[0] == all->pid || ((int *)waker)[1] == all->pid;
	all->named += !!memmem(waker, 64, all->comm, strlen(all->comm) + 1);
}

/* Reads the bytes that the process writes, and counts the wakers of the attacker's own sleeps in these reads. */
static struct wakers wakers(int pid, int told, const char *comm)
{
	struct wakers all = { .pid = pid, .comm = comm };
	char name[16] = {}, byte, path[64];
	static char before[1 << 16];
	struct timespec now;
	int fd;

	NEED(order(&t, SEED, getpid(), WHOLE, memory(getpid(), O_RDONLY)) == DONE);
	/* Reading the bytes that are there already takes no sleep, so nobody wakes the attacker. */
	NEED(read(told, before, sizeof(before)) > 0);
	/*
	 * A process that becomes privileged has done so, because it has written. While it executed its program it had the name already, and was
	 * still ours: /proc shows both.
	 */
	NEED(!clock_gettime(CLOCK_MONOTONIC, &now));
	all.since = now.tv_sec * 1000000000ull + now.tv_nsec;
	for (int i = 0; i < 200; i++)
		NEED(read(told, &byte, 1) == 1);
	/* The name is what the test takes it for. */
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	NEED(fd >= 0 && read(fd, name, sizeof(name)) > 0 && !strncmp(name, comm, strlen(comm)));
	each_record(&t, look_at_wakers, &all);
	printf("%d hidden, %d known, %d named", all.hidden, all.known, all.named);
	return all;
}

/* The process itself must have no name as a waker. */
static void hidden_waker(int pid, int told, const char *comm)
{
	struct wakers all = wakers(pid, told, comm);

	if (all.known || all.named)
		give_up(1, ": the waker was seen");
	if (!all.hidden)
		give_up(2, ": nobody woke us");
}

/* A process of ours wakes us after it became privileged. */
static void waker_becomes(const char *program)
{
	struct child c = start(program, 0);
	int proof = memory(c.pid, O_RDONLY);

	NEED(proof >= 0 && order(&t, SEED, c.pid, WHOLE, proof) == DONE);
	NEED(write(c.go, "g", 1) == 1);
	hidden_waker(c.pid, c.told, program);
	stop(&c);
}

/* The test itself has to be able to fail: a process that we trace has its name. */
static void own_waker(void)
{
	struct child c = start("plain", 0);
	struct wakers all;

	NEED(order(&t, SEED, c.pid, WHOLE, memory(c.pid, O_RDONLY)) == DONE && write(c.go, "g", 1) == 1);
	all = wakers(c.pid, c.told, "plain");
	if (!all.known || !all.named)
		give_up(1, ": the waker was not seen");
	stop(&c);
}
