/*
 * Tries to see calls of others through stride-broker, as a user without privileges.
 *
 * broker-attacker SOCKET REQUEST DIRECTORY ATTACK [PID [NAME]]
 *
 * REQUEST is a file with a request for all calls (and for waits, if the attack is about wakers), DIRECTORY has copies of broker-victim with various rights. PID is a process of somebody else, of this NAME, that makes
 * secret calls and tells of each on our stdin. Exit status: 0 if nothing was seen, 1 if something was, 2 if the attack could not be made, 77 if this
 * machine lacks what it takes.
 */
#define _GNU_SOURCE
#include "broker-attacker.h"

static struct trace t;
static int victim;

#include "broker-attacker-wakers.h"

/* Proofs that are none, for the victim and for ourselves. */
static void with_proof(int proof)
{
	if (proof < 0)
		give_up(2, "no proof");
	if (order(&t, SEED, victim, WHOLE, proof) == DONE || order(&t, SEED, victim, 0, proof) == DONE ||
	    order(&t, SEED, victim, COMMAND, proof) == DONE)
		give_up(1, "the broker took the proof");
	watch(&t, 0);
}

static void self_with(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	NEED(fd >= 0);
	if (order(&t, SEED, getpid(), WHOLE, fd) == DONE)
		give_up(1, "%s was taken for a proof", file);
}

/* A process of ours that becomes privileged under way. */
static void becomes(const char *program, int thread)
{
	struct child c = start(program, thread);
	int proof = memory(c.pid, O_RDONLY);

	NEED(proof >= 0 && order(&t, SEED, c.pid, WHOLE, proof) == DONE);
	NEED(write(c.go, "g", 1) == 1);
	watch(&t, c.told);
	if (records(&t, REC_DETACH, -1) < 1)
		give_up(1, "the end of tracing was not told");
	/* And again, now that it is privileged. */
	proof = memory(c.pid, O_RDONLY);
	if (proof >= 0)
		give_up(2, "the kernel lets us trace it");
	stop(&c);
}

/* A proof from before. */
static void kept_proof(int own)
{
	struct child c = start("suid", 0);
	int proof = own ? memory(getpid(), O_RDONLY) : memory(c.pid, O_RDONLY);
	char byte;

	NEED(proof >= 0 && write(c.go, "g", 1) == 1);
	NEED(read(c.told, &byte, 1) == 1);
	if (order(&t, SEED, c.pid, WHOLE, proof) == DONE)
		give_up(1, "the broker took the proof");
	watch(&t, c.told);
	stop(&c);
}

/* A child that shares our memory executes a privileged program. */
static void shared_memory(void)
{
	static char path[4096];
	int told[2], proof = memory(getpid(), O_RDONLY), child;
	char byte;

	snprintf(path, sizeof(path), "%s/suid", directory);
	NEED(!pipe2(told, O_CLOEXEC));
	child = vfork();
	if (!child) {
		dup2(told[1], 1);
		execl(path, path, NULL);
		_exit(9);
	}
	close(told[1]);
	NEED(read(told[0], &byte, 1) == 1);
	if (order(&t, SEED, child, WHOLE, proof) == DONE)
		give_up(1, "the broker took the proof");
	watch(&t, told[0]);
}

static void *seeds(void *pid)
{
	for (int i = 0; i < 50; i++) {
		int proof = memory(*(int *)pid, O_RDONLY);

		if (proof < 0)
			break;
		order(&t, SEED, *(int *)pid, WHOLE, proof);
		close(proof);
	}
	return NULL;
}

/* A process of ours in a user namespace of ours, where root has mapped another user, becomes that user. */
static void becomes_user(void)
{
	int go[2], told[2], child, proof;
	char byte;

	NEED(!pipe2(go, O_CLOEXEC) && !pipe2(told, O_CLOEXEC));
	child = fork();
	if (!child) {
		/* Nothing else ends it when it is somebody else: it ends when nobody reads what it tells. */
		alarm(120);
		close(told[0]);
		close(go[1]);
		if (read(go[0], &byte, 1) != 1 || unshare(CLONE_NEWUSER) || write(told[1], "u", 1) != 1 || read(go[0], &byte, 1) != 1)
			_exit(77);
		if (setresuid(1, 1, 1))
			_exit(9);
		while (write(told[1], "x", 1) == 1)
			getpgid(0);
		_exit(0);
	}
	close(told[1]);
	proof = memory(child, O_RDONLY);
	NEED(proof >= 0 && order(&t, SEED, child, WHOLE, proof) == DONE && write(go[1], "g", 1) == 1);
	if (read(told[0], &byte, 1) != 1)
		exit(77);
	fprintf(stderr, "%d\n", child);
	NEED(read(0, &byte, 1) == 1 && write(go[1], "g", 1) == 1);
	watch(&t, told[0]);
	if (records(&t, REC_DETACH, -1) < 1)
		give_up(1, "the end of tracing was not told");
}

/* Orders arrive while the process executes. */
static void race(const char *program)
{
	for (int i = 0; i < 150; i++) {
		struct child c = start(program, 0);
		pthread_t thread;
		char byte;

		NEED(!pthread_create(&thread, NULL, seeds, &c.pid));
		for (volatile int wait = (i % 30) * 3000; wait > 0; wait--)
			;
		NEED(write(c.go, "g", 1) == 1 && read(c.told, &byte, 1) == 1);
		pthread_join(thread, NULL);
		if (i % 30 == 0)
			watch(&t, c.told);
		stop(&c);
	}
	if (secrets(&t))
		give_up(1, "%d secret calls were seen", secrets(&t));
}

/* The test itself has to be able to fail: an ordinary process of ours is seen. */
static void control(void)
{
	struct child c = start("plain", 0);
	int proof = memory(c.pid, O_RDONLY);
	char x[20];

	NEED(proof >= 0 && order(&t, SEED, c.pid, WHOLE, proof) == DONE);
	NEED(write(c.go, "g", 1) == 1 && read(c.told, x, 1) == 1);
	for (int n = 0; n < 20; n += read(c.told, x, 1))
		;
	if (secrets(&t) < 19)
		give_up(1, "only %d of 20 calls were seen", secrets(&t));
	stop(&c);
}

/* bpf(2) with the descriptors that the broker hands over, and ways to descriptors of others. */
static void descriptors(void)
{
	uint32_t id = 0;
	int fd;

	for (int i = 0; i < t.n; i++) {
		struct { int cmd; const char *name; } all[] = { { BPF_MAP_LOOKUP_ELEM, "look up" }, { BPF_MAP_UPDATE_ELEM, "update" },
			{ BPF_MAP_DELETE_ELEM, "delete" }, { BPF_MAP_FREEZE, "freeze" } };

		for (int k = 0; k < 4; k++) {
			static uint64_t key, value[4096];
			union bpf_attr attr = { .map_fd = t.fds[i], .key = (uintptr_t)&key, .value = (uintptr_t)value, .flags = 0 };

			if (all[k].cmd == BPF_MAP_FREEZE)
				memset(&attr, 0, sizeof(attr)), attr.map_fd = t.fds[i];
			/* (Allowed where it concerns our own words.) */
			syscall(SYS_bpf, all[k].cmd, &attr, sizeof(attr));
		}
	}
	for (int cmd = 0; cmd < 3; cmd++) {
		int next[] = { BPF_PROG_GET_NEXT_ID, BPF_MAP_GET_NEXT_ID, BPF_LINK_GET_NEXT_ID };
		int get[] = { BPF_PROG_GET_FD_BY_ID, BPF_MAP_GET_FD_BY_ID, BPF_LINK_GET_FD_BY_ID };

		for (id = 1; id < 20000; id++) {
			union bpf_attr attr = { .start_id = id };

			fd = syscall(SYS_bpf, get[cmd], &attr, sizeof(attr));
			if (fd >= 0)
				give_up(1, "there is a way to descriptors of others");
		}
		union bpf_attr attr = { .start_id = 0 };

		if (!syscall(SYS_bpf, next[cmd], &attr, sizeof(attr)))
			give_up(1, "there is a way to ids of others");
	}
	watch(&t, 0);
}

/* All that is writable is filled with nonsense, again and again. */
static void scribble(void)
{
	struct child c = start("plain", 0);
	int proof = memory(c.pid, O_RDONLY);
	char *words = mmap(NULL, 12288, PROT_READ | PROT_WRITE, MAP_SHARED, t.fds[0], 0);
	char *position = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, t.fds[2], 0);
	char byte;

	NEED(words != MAP_FAILED && position != MAP_FAILED);
	if (mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, t.fds[2], 4096) != MAP_FAILED)
		give_up(1, "the writer's position can be written");
	if (mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, t.fds[2], 4096) != MAP_FAILED)
		give_up(1, "records can be written");
	NEED(order(&t, SEED, c.pid, WHOLE, proof) == DONE && write(c.go, "g", 1) == 1);
	for (int i = 0; i < 2000; i++) {
		memset(words, (int[]){ 0, 0xff, 0x80, 0x7f }[i % 4], 12288);
		memset(position, (int[]){ 0xff, 0, 0x55, 0xaa }[i % 4], 8);
		if (i % 100 == 0)
			NEED(read(c.told, &byte, 1) == 1);
	}
	memset(words, 0, 12288);
	memset(position, 0, 8);
	order(&t, LOOK, 1, 0, -1);
	order(&t, LOOK, 0, 0, -1);
	stop(&c);
	struct trace other = begin();

	watch(&other, 0);
}

static void forged(void)
{
	static char bytes[1 << 16];
	unsigned seed = 1;
	struct trace other;
	int many[253];

	for (int i = 0; i < 2000; i++) {
		size_t len = request_len;

		memcpy(bytes, request, sizeof(bytes));
		for (int k = 0; k < 1 + i % 5; k++)
			bytes[rand_r(&seed) % request_len] = rand_r(&seed);
		if (i % 7 == 0)
			len = rand_r(&seed) % (request_len + 4000);
		other = (struct trace){ .socket = dial() };
		if (tell(other.socket, bytes, len ? len : 1, NULL, 0) > 0 && i % 3)
			hear(&other);
		for (int k = 0; k < other.n; k++)
			close(other.fds[k]);
		close(other.socket);
	}
	for (int i = 0; i < 253; i++)
		many[i] = 0;
	other = (struct trace){ .socket = dial() };
	tell(other.socket, request, request_len, many, 253);
	hear(&other);
	close(other.socket);
	/* Orders: with nothing, with too much, of others' kinds, of others' ids. */
	for (uint64_t kind = 0; kind < 8; kind++)
		for (int n = 0; n < 3; n++) {
			uint64_t words[3] = { kind, victim, n };

			tell(t.socket, words, sizeof(words), many, n == 2 ? 12 : n);
			if (hear(&t) == DONE && kind == SEED)
				give_up(1, "a forged order was obeyed");
			if (t.code == CLOSED) {
				close(t.socket);
				t = begin();
			}
		}
	watch(&t, 0);
}

static void many(int n, int ask)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int *all = calloc(n, sizeof(int)), open = 0;

	strncpy(to.sun_path, socket_path, sizeof(to.sun_path) - 1);
	for (int i = 0; i < n; i++) {
		int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);

		if (fd < 0 || connect(fd, (void *)&to, sizeof(to))) {
			if (fd >= 0)
				close(fd);
			/* The queue is full: make room, as impolite as we are. */
			if (open)
				close(all[--open]);
			continue;
		}
		if (ask)
			tell(fd, request, request_len, NULL, 0);
		all[open++] = fd;
		if (open > 400)
			close(all[--open]);
	}
	watch(&t, 0);
}

/* A trace that must be refused, with a reason. */
static void is_refused(int socket)
{
	struct trace refused = { .socket = socket };

	NEED(tell(socket, request, request_len, NULL, 0) == (ssize_t)request_len);
	if (hear(&refused) != BUSY)
		give_up(1, "a refusal has no reason: code %d", (int)refused.code);
	close(socket);
}

/* One trace more than the user may have. */
static void refusals(void)
{
	struct trace second = begin();

	for (int i = 0; i < 50; i++)
		is_refused(dial());
	close(second.socket);
	watch(&t, 0);
}

/* More connections than may wait. */
static void crowd(void)
{
	int all[24];

	for (int i = 0; i < 24; i++)
		all[i] = dial();
	for (int i = 16; i < 24; i++)
		is_refused(all[i]);
	watch(&t, 0);
}

/* Sixteen requests of one user wait when the request of another one comes. */
static void turns(int one, int other)
{
	struct pollfd all[17];
	int before = 0;

	for (int i = 0; i < 17; i++) {
		NEED(!seteuid(0) && !seteuid(i < 16 ? one : other));
		all[i] = (struct pollfd){ .fd = dial(), .events = POLLIN };
		NEED(tell(all[i].fd, request, request_len, NULL, 0) == (ssize_t)request_len);
	}
	while (poll(all, 17, 60000) > 0 && !all[16].revents)
		for (int i = 0; i < 16; i++)
			if (all[i].revents) {
				all[i].fd = ~all[i].fd;
				before++;
			}
	struct trace last = { .socket = all[16].fd };
	if (hear(&last) != DONE)
		give_up(1, "the other user is not served: code %d", (int)last.code);
	if (before > 3)
		give_up(1, "the other user comes after %d requests", before);
}

int main(int argc, char **argv)
{
	const char *attack;
	int fd;

	if (argc < 5)
		return 2;
	socket_path = argv[1];
	fd = open(argv[2], O_RDONLY);
	NEED(fd >= 0);
	request_len = read(fd, request, sizeof(request));
	directory = argv[3];
	attack = argv[4];
	victim = argc > 5 ? atoi(argv[5]) : 0;
	signal(SIGPIPE, SIG_IGN);
	/* Whatever goes wrong, nothing of us stays. */
	alarm(120);
#define IS(name) !strcmp(attack, name)
	if (IS("order-first")) {
		t = (struct trace){ .socket = dial() };
		if (order(&t, SEED, victim, WHOLE, memory(getpid(), O_RDONLY)) == DONE)
			give_up(1, "an order was obeyed before a request");
		return 0;
	}
	if (IS("turns")) {
		turns(65534, victim);
		return 0;
	}
	t = begin();
	if (t.value != (uint64_t)getpid())
		give_up(2, "the broker takes us for %d", (int)t.value);
	if (IS("control")) {
		control();
	} else if (IS("kernel-refuses")) {
		if (memory(victim, O_RDONLY) >= 0)
			give_up(2, "the kernel lets us trace the victim");
		watch(&t, 0);
	} else if (IS("own-memory")) {
		with_proof(memory(getpid(), O_RDONLY));
	} else if (IS("path-only")) {
		with_proof(memory(victim, O_PATH));
	} else if (IS("eventfd")) {
		with_proof(eventfd(0, 0));
	} else if (IS("memfd")) {
		with_proof(syscall(SYS_memfd_create, "mem", 0));
	} else if (IS("socket")) {
		with_proof(dial());
	} else if (IS("ring")) {
		with_proof(t.fds[2]);
	} else if (IS("words")) {
		with_proof(t.fds[0]);
	} else if (IS("plain-file")) {
		with_proof(open(argv[2], O_RDONLY));
	} else if (IS("stat-file")) {
		char path[64];

		snprintf(path, sizeof(path), "/proc/%d/stat", victim);
		with_proof(open(path, O_RDONLY));
	} else if (IS("directory")) {
		char path[64];

		snprintf(path, sizeof(path), "/proc/%d", victim);
		with_proof(open(path, O_RDONLY | O_DIRECTORY));
	} else if (IS("pidfd")) {
		with_proof(syscall(SYS_pidfd_open, victim, 0));
	} else if (IS("environ")) {
		self_with("/proc/self/environ");
	} else if (IS("auxv")) {
		self_with("/proc/self/auxv");
	} else if (IS("pagemap")) {
		self_with("/proc/self/pagemap");
	} else if (IS("maps")) {
		self_with("/proc/self/maps");
	} else if (IS("no-proof")) {
		if (order(&t, SEED, victim, WHOLE, -1) == DONE)
			give_up(1, "no proof was needed");
		watch(&t, 0);
	} else if (IS("all-ids")) {
		int own = memory(getpid(), O_RDONLY);

		for (int id = 1; id < 3000; id++)
			if (id != getpid() && order(&t, SEED, id, id % 2, own) == DONE)
				give_up(1, "process %d was traced by our own proof", id);
		watch(&t, 0);
	} else if (IS("dead-proof")) {
		struct child c = start("plain", 0);
		int proof = memory(c.pid, O_RDONLY);

		stop(&c);
		with_proof(proof);
	} else if (IS("child-in-user-namespace")) {
		/* Capabilities in a namespace of ours are none outside of it. */
		int pid = fork(), status;

		if (!pid) {
			if (unshare(CLONE_NEWUSER))
				_exit(77);
			if (memory(victim, O_RDONLY) >= 0)
				_exit(1);
			_exit(order(&t, SEED, victim, WHOLE, memory(getpid(), O_RDONLY)) == DONE);
		}
		waitpid(pid, &status, 0);
		if (WEXITSTATUS(status))
			return WEXITSTATUS(status);
		watch(&t, 0);
	} else if (IS("bind-mounted")) {
		/* Another file of /proc under the name of mem. */
		int fd;

		if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
			return 77;
		fd = open("/proc/self/environ", O_RDONLY);
		with_proof(fd);
	} else if (IS("becomes-suid")) {
		becomes("suid", 0);
	} else if (IS("becomes-sgid")) {
		becomes("sgid", 0);
	} else if (IS("becomes-capable")) {
		becomes("capable", 0);
	} else if (IS("becomes-unreadable")) {
		becomes("unreadable", 0);
	} else if (IS("thread-becomes-suid")) {
		becomes("suid", 1);
	} else if (IS("script-becomes-suid")) {
		becomes("script", 0);
	} else if (IS("becomes-user")) {
		becomes_user();
	} else if (IS("waker")) {
		hidden_waker(victim, 0, argv[6]);
	} else if (IS("own-waker")) {
		own_waker();
	} else if (!strncmp(attack, "waker-becomes-", 14)) {
		waker_becomes(attack + 14);
	} else if (IS("kept-proof")) {
		kept_proof(0);
	} else if (IS("parents-proof")) {
		kept_proof(1);
	} else if (IS("shared-memory")) {
		shared_memory();
	} else if (IS("race-suid")) {
		race("suid");
	} else if (IS("race-unreadable")) {
		race("unreadable");
	} else if (IS("descriptors")) {
		descriptors();
	} else if (IS("scribble")) {
		scribble();
	} else if (IS("forged")) {
		forged();
	} else if (IS("refusals")) {
		refusals();
	} else if (IS("crowd")) {
		crowd();
	} else if (IS("10000-connections")) {
		many(10000, 0);
	} else if (IS("10000-requests")) {
		many(10000, 1);
	} else if (IS("reused-id")) {
		/* The proof of a process that was there before: our caller gives the victim the same id. */
		struct child c = start("plain", 0);
		int proof = memory(c.pid, O_RDONLY);
		char line[32];

		stop(&c);
		fprintf(stderr, "%d\n", c.pid);
		NEED(read(0, line, 1) == 1);
		victim = c.pid;
		with_proof(proof);
	} else if (IS("keep")) {
		/* Ends, and leaves the rings to a child. */
		for (int i = 0; i < t.n; i++)
			fcntl(t.fds[i], F_SETFD, 0);
		close(t.socket);
		printf("kept\n");
		fflush(stdout);
		pause();
	} else {
		return 2;
	}
	return 0;
}
