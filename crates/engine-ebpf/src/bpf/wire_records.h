/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* The records of the ring. A part of wire.h, which says what holds for all of these layouts. */
#ifndef STRIDE_WIRE_RECORDS_H
#define STRIDE_WIRE_RECORDS_H

enum record_bound {
	/* Bytes of a cgroup's path. */
	CGROUP_PATH = 512,
	/* Words of a function's call, bytes of a captured text, and of all words and texts. */
	LIBRARY_WORDS = 12,
	LIBRARY_TEXT_MAX = 512,
	LIBRARY_ROOM = 4096,
	/* In place of the number of an argument. */
	TEXT_OF_RESULT = 255,
	/* sizeof(struct io_uring_sqe), as far as all of them have it. */
	SQE_SIZE = 64,
};

enum rec_kind {
	/* A call's memory at its entry. Its REC_CALL follows when it returns. */
	REC_ENTRY = 1,
	/* A call that returned, or never will. */
	REC_CALL = 2,
	/* A thread is traced from here on. */
	REC_START = 3,
	REC_SIGNAL = 4,
	/* A thread is gone. For a process's first thread: the process is gone. */
	REC_EXIT = 5,
	/* A thread, traced before or not, took over the id of its process's first thread by execve. */
	REC_EXEC = 6,
	/* A thread is no longer traced, and lives on. */
	REC_DETACH = 7,
	/* A thread has been in a call for a while; a REC_CALL follows when it returns. */
	REC_BLOCKED = 8,
	/* A thread is in a group-stop. */
	REC_STOPPED = 9,
	/* The file that a descriptor of the thread's next REC_CALL refers to. */
	REC_FILE = 10,
	/* A thread left the call that it was in when signals with FLAG_HELD were sent. */
	REC_LEFT = 11,
	/* A rec_call without a call: the stack that the thread's next REC_SIGNAL interrupts, which is not known yet. */
	REC_STACK = 12,
	/* A thread is in another cgroup. */
	REC_MOVED = 13,
	/* Threads of a process may be wanted that were not, or the other way round: all are to be looked at again. */
	REC_CHANGED = 14,
	/* A cgroup begins or ends. */
	REC_CGROUP = 15,
	/* A function of a library was entered or returned, or a probe was passed. */
	REC_LIBRARY = 16,
	/* An operation of io_uring was submitted. */
	REC_SUBMITTED = 17,
	/* A completion of an operation was posted. The head has the id of the thread that submitted last to the ring. */
	REC_COMPLETED = 18,
	/* The id of a thread in a PID namespace. One for each namespace that has the thread, from Stride's own inwards. */
	REC_ID = 19,
	/* Bytes of the blocks with BLOCK_BEFORE of the thread's next REC_ENTRY or REC_CALL. */
	REC_MEMORY = 20,
	/* A wait of the thread. If that was in a call, the call's REC_CALL follows. */
	REC_WAIT = 21,
};

enum rec_flag {
	/* A REC_ENTRY of this call came before. It has number, ABI and arguments. */
	FLAG_HAS_ENTRY = 1,
	/* The call did not return: exit, or the thread was killed in it. */
	FLAG_GONE = 2,
	/* Memory was left out because the record was full. */
	FLAG_FULL = 4,
	/* A rec_more follows the rec_call. */
	FLAG_MORE = 8,
	/* Was counted in the kernel. */
	FLAG_COUNTED = 16,
	/* In a REC_ENTRY: other threads end because of this call, so its line begins first. */
	FLAG_TELL = 32,
	/*
	 * In a REC_SIGNAL: its receiver is in a call, whose line comes first. A REC_LEFT follows when the receiver has left
	 * the call.
	 */
	FLAG_HELD = 64,
	/* In a REC_DETACH: the user may not trace the thread any longer, which executed a privileged program or became somebody else. */
	FLAG_PRIVILEGED = 128,
	/* Memory of the call could not be read here. The reader may be able to, and counts the call then (absences_read). */
	FLAG_FAULTED = 256,
	/* The record has blocks with BLOCK_BEFORE. */
	FLAG_BEFORE = 512,
};

/* How every record begins. */
struct rec_head {
	u8 kind;
	u8 abi;
	u16 flags;
	/* Calls of this thread that were lost since its last record. */
	u32 lost;
	u32 tid;
	/* For a call: its number. */
	s32 nr;
};

/*
 * REC_ENTRY, REC_CALL. If flagged, a rec_more follows. Then come blocks up to the record's end. Every byte crosses from the
 * program's CPU to the reader's, so this has only what is always wanted.
 */
struct rec_call {
	struct rec_head head;
	s64 ret;
	u64 args[6];
};

struct rec_more {
	/* Times of entry and return. 0 if not taken. */
	u64 entered;
	u64 at;
	u64 ip;
	u64 sp;
};

enum block_flag {
	/* Holds the memory at exit. Otherwise: at entry, or known to be unchanged since then. */
	BLOCK_EXIT = 1,
	/* More was wanted, but could not be read. */
	BLOCK_FAULTED = 2,
	/* Words up to a zero. Elements behind it are not followed. */
	BLOCK_WORDS = 4,
	/* No memory, but what descriptor `addr` refers to: an enum file_kind (a u32). */
	BLOCK_FILE_KIND = 8,
	/* No memory, but the stack that leads to the call: `addr` is its id, `elem` the number of calls that it stands for. */
	BLOCK_STACK = 32,
	/* A stack that is not known yet, behind a rec_stack. `elem` as above. */
	BLOCK_COPY = 64,
	/* The bytes do not follow, because the record has no room for them: they were sent before (REC_MEMORY). */
	BLOCK_BEFORE = 128,
};

/* Kinds of files on which the meaning of some calls depends. */
enum file_kind {
	FILE_KIND_OTHER = 0,
	FILE_KIND_TERMINAL = 1,
	FILE_KIND_BPF_MAP = 2,
	FILE_KIND_BPF_PROGRAM = 3,
	FILE_KIND_BPF_TYPES = 4,
	FILE_KIND_BPF_LINK = 5,
	/* A netlink socket. Its protocol is added. */
	FILE_KIND_NETLINK = 1 << 16,
};

/* A piece of the program's memory. `len` bytes follow, padded to 8. */
struct rec_block {
	u64 addr;
	u32 len;
	u16 elem;
	u8 op;
	u8 flags;
};

/* A piece of a block with BLOCK_BEFORE. `len` bytes follow. */
struct rec_memory {
	struct rec_head head;
	/* 0: the record comes before the thread's other ones, also where those of several rings are sorted. */
	u64 at;
	u64 len;
};

/*
 * A part of a stack, from an address up. Bit i of `pages` is set if the copy has what is on the i-th page. The pages follow one another
 * without gaps; the first one begins at `from`.
 */
struct stack_part {
	u64 from;
	u64 pages;
};

/*
 * The other facts that unwinding a copied stack takes: where it is (stack_key), the process, and the registers. Behind it are `watched`
 * times a stack_return, then `script_frames` times a script_frame, then script_pieces, and then the memory.
 */
struct rec_stack {
	u64 space;
	u32 generation;
	u32 process;
	u64 ip;
	u64 bp;
	/* The thread runs 32-bit code. */
	u32 is_32bit;
	u32 watched;
	/* The return address of all functions whose return is watched, and what stands for the list of them. */
	u64 trampoline;
	u64 returns;
	/* The number that stands for the frames of scripts, the layout by which they were found, and the reason why there are no more (enum script_end). */
	u64 script;
	u64 script_layout;
	u32 script_end;
	u32 script_frames;
	/* The program has several interpreters. */
	u32 script_several;
	u32 pad2;
	/* The bytes of the pieces of memory that name them. */
	u64 script_pieces;
	/* All general registers, in DWARF's order for x86-64. */
	u64 all[16];
	/* At the stack pointer; and where a signal handler with a stack of its own interrupted the thread (no pages if there is none). */
	struct stack_part part[2];
};

struct rec_start {
	/* With the ABI of the call that made it. */
	struct rec_head head;
	u64 at;
	/* 0: it existed before. */
	u64 parent;
	u64 process;
	/* The id of its cgroup. 0 if nobody asks. */
	u64 cgroup;
	/* A thread that existed before may be gone when its name is looked up. (COMM_LEN) */
	u8 comm[16];
};

struct rec_id {
	struct rec_head head;
	u64 at;
	/* The inode of the namespace. */
	u64 space;
	u64 id;
};

struct rec_moved {
	struct rec_head head;
	u64 at;
	u64 cgroup;
};

struct rec_changed {
	struct rec_head head;
	u64 at;
	u64 process;
};

struct rec_cgroup {
	struct rec_head head;
	u64 at;
	u64 cgroup;
	u64 gone;
	/* With a NUL; empty if unknown. */
	u8 path[CGROUP_PATH];
};

struct rec_signal {
	struct rec_head head;
	u64 at;
	/* The kernel's siginfo. The rest of the user's siginfo_t is zero. */
	u64 info[6];
	u64 ip;
	/* The id of the stack that it interrupts, or an enum stack_id. */
	u64 stack;
};

struct rec_exit {
	struct rec_head head;
	u64 at;
	/* In the form of wait(2). */
	u64 status;
};

struct rec_detach {
	struct rec_head head;
	u64 at;
};

struct rec_left {
	struct rec_head head;
	u64 at;
};

struct rec_exec {
	struct rec_head head;
	u64 at;
	/* Its former id. 0 if unknown. */
	u64 old;
};

enum file_flag {
	/* The file is no longer in its directory. */
	FILE_UNHASHED = 1,
	/* A file without a directory. */
	FILE_ALONE = 2,
	/* Its path is longer than any path in /proc. */
	FILE_CUT = 4,
	/* The call made it. */
	FILE_MADE = 8,
	/* There is no such descriptor. */
	FILE_NONE = 16,
	/* It belongs to the operation of `request`, and to no call. */
	FILE_OPERATION = 32,
};

/* Facts about a file besides its path (-yy). They depend on the kind of file. */
struct file_detail {
	/*
	 * eventfd: count, id, flags; signalfd: mask; pidfd: pid; terminal: index; netlink: protocol, port; unix: the peer's inode. (A
	 * unix socket's own name comes behind that of the file.)
	 */
	u64 numbers[3];
	/* Internet sockets: addresses and ports, the program's own first. */
	u32 addresses[8];
	u16 ports[2];
	u16 family;
	u16 pad;
};

/* The names of its path follow, each with a NUL, from the last to the first. */
struct rec_file {
	struct rec_head head;
	/* Not used: these records are wanted only if there is one ring. */
	u64 at;
	s64 fd;
	/* The address of an operation's request. */
	u64 request;
	u64 ino;
	/* The kind of file system. */
	u64 magic;
	u32 mode;
	u32 nlink;
	/* In the kernel's encoding: 12 bits, 20 bits. */
	u32 rdev;
	u32 flags;
	struct file_detail detail;
};

struct rec_blocked {
	struct rec_head head;
	u64 at;
	u64 args[6];
	/* 0 if not taken. */
	u64 entered;
	u64 ip;
	u64 sp;
};

enum library_part {
	LIBRARY_ENTERED = 0,
	LIBRARY_RETURNED = 1,
	/* Entered, and its return is not watched. */
	LIBRARY_PASSED = 2,
};

/* At the beginning: LIBRARY_WORDS words follow, of which `words` could be read. Then come texts, `used` bytes in all. */
struct rec_library {
	struct rec_head head;
	u64 at;
	u64 sp;
	/* At a return the result, and at an entry the return address, if that is known. */
	u64 result;
	u32 probe;
	u16 part;
	u16 words;
	u32 used;
	u32 pad;
};

/* `len` bytes follow, padded to 8. */
struct library_text {
	u16 len;
	/* The number of the argument that points to them, or TEXT_OF_RESULT. */
	u8 word;
	/* There is more. */
	u8 cut;
	u32 pad;
};

/* The texts of arguments follow (struct library_text), `used` bytes in all. */
struct rec_submitted {
	struct rec_head head;
	u64 at;
	/* The kernel's addresses of the request and of its ring, which tell requests and rings apart. */
	u64 req;
	u64 ring;
	u64 user_data;
	/* struct io_uring_sqe. */
	u8 sqe[SQE_SIZE];
	u32 used;
	u8 opcode;
	/* 1 if `sqe` was read. */
	u8 known;
	/* 1 if the kernel's own thread took it from the ring (IORING_SETUP_SQPOLL). */
	u8 polled;
	u8 pad;
};

struct rec_completed {
	struct rec_head head;
	u64 at;
	/* 0: a further completion of a request, or one that found no room in the completion queue. */
	u64 req;
	u64 ring;
	u64 user_data;
	s32 res;
	u32 cqe_flags;
	/* 1 if it found no room. */
	u32 overflowed;
	u32 pad;
};

/* Why a thread was off its CPUs. */
enum wait_cause {
	/* It could run: another thread had the CPU. */
	WAIT_FOR_CPU = 0,
	WAIT_ASLEEP = 1,
	/* It waited for a block device, as the kernel counts that (in_iowait). */
	WAIT_DISK = 2,
	/* By a signal, by a tracer, or because its cgroup is frozen. */
	WAIT_STOPPED = 3,
	/* It could run, but its cgroup had used up its share of the CPUs (cpu.max). */
	WAIT_THROTTLED = 4,
	WAIT_CAUSES = 5,
};

enum wait_flag {
	/* The thread was in a call. */
	WAIT_IN_CALL = 1,
	/* It was still off its CPUs at `at`, when tracing ended. Its next record, if there is one, has the whole wait. */
	WAIT_LASTS = 2,
};

enum waker_kind {
	WAKER_UNKNOWN = 0,
	WAKER_THREAD = 1,
	/* Interrupts. */
	WAKER_TIMER = 2,
	WAKER_NETWORK = 3,
	WAKER_DISK = 4,
	/* That of a device, whose name is in `comm`. */
	WAKER_DEVICE = 5,
	WAKER_INTERRUPT = 6,
	/* A thread that the user of a broker may not see (guard.h): nothing else is told of it. */
	WAKER_HIDDEN = 7,
};

/* A thread that woke another one, or had its CPU. */
struct waker {
	u32 tid;
	u32 process;
	/* The call that it was in, or -1. */
	s32 nr;
	u8 abi;
	/* enum waker_kind */
	u8 kind;
	u16 pad;
	u8 comm[16];
};

struct rec_wait {
	struct rec_head head;
	/* When the thread was on a CPU again. */
	u64 at;
	/* The time of the call's entry. 0: it was in no call, or in one that began before tracing. */
	u64 entered;
	/*
	 * For how long it was off its CPUs, in a call or outside: nanoseconds by enum wait_cause. `before` also has the times of earlier records for which
	 * the ring had no room.
	 */
	u64 in_call[WAIT_CAUSES];
	u64 before[WAIT_CAUSES];
	/* Why it was off its CPUs this time: enum wait_cause. */
	u32 cause;
	/* enum wait_flag */
	u32 flags;
	/* The thread or interrupt that ended the sleep, and the thread that had the CPU before it was back. */
	struct waker waker;
	struct waker taker;
};

struct rec_stopped {
	struct rec_head head;
	u64 at;
	u64 signal;
};

/* See backpressure.h. Stride writes here. */
struct pressure {
	/* Bytes of records that were taken out of the rings and wait in Stride's memory. */
	u64 backlog;
	/* 1 if the drain thread waits to be woken. */
	u32 drain_waits;
	u32 pad[13];
};

#endif
