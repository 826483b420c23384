/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * What passes between the kernel side and the user side: the records of the ring and the plans in the maps.
 *
 * This header is the only place where these layouts are written down. The Rust mirror is generated from the compiled
 * object's type information (build.rs). Every struct is a multiple of 8 bytes without hidden padding.
 */
#ifndef STRIDE_WIRE_H
#define STRIDE_WIRE_H

/* ---- records ---- */

enum rec_kind {
	/* What the program had in memory when it entered a call; its REC_CALL follows when it returns. */
	REC_ENTRY = 1,
	/* A call that returned, or never will. */
	REC_CALL = 2,
	/* A thread is traced from here on. */
	REC_START = 3,
	REC_SIGNAL = 4,
	/* A thread is gone; of a process's first one: the process is. */
	REC_EXIT = 5,
	/* A thread, traced before or not, took over the id of its process's first one by execve. */
	REC_EXEC = 6,
	/* A thread is traced no longer, and lives on. */
	REC_DETACH = 7,
	/* A thread has been in a call for a while; a REC_CALL follows when it returns. */
	REC_BLOCKED = 8,
	/* A thread takes part in a group-stop. */
	REC_STOPPED = 9,
	/* What a descriptor of the thread's next REC_CALL refers to. */
	REC_FILE = 10,
	/* A thread left the call that signals with FLAG_HELD found it in. */
	REC_LEFT = 11,
};

enum rec_flag {
	/* A REC_ENTRY of this call came before; number, ABI and arguments are those given there. */
	FLAG_HAS_ENTRY = 1,
	/* Did not return: exit, or killed inside the call. */
	FLAG_GONE = 2,
	/* Memory was left out because the record was full. */
	FLAG_FULL = 4,
	/* A rec_more follows the rec_call. */
	FLAG_MORE = 8,
	/* Was counted in the kernel. */
	FLAG_COUNTED = 16,
	/* Of a REC_ENTRY: other threads end because of this call, so its line begins first. */
	FLAG_TELL = 32,
	/* Of a REC_SIGNAL: its receiver is in a call, whose line comes first. A REC_LEFT follows when it is not any more. */
	FLAG_HELD = 64,
};

/* How every record starts. */
struct rec_head {
	u8 kind;
	u8 abi;
	u16 flags;
	/* Calls of this thread that found no room in the ring since its last record. */
	u32 lost;
	u32 tid;
	/* Of a call: its number. */
	s32 nr;
};

/*
 * REC_ENTRY, REC_CALL. A rec_more follows where it is flagged, then blocks up to the record's end. Every byte of it
 * crosses from the program's CPU to the reader's: only what is always wanted is in here.
 */
struct rec_call {
	struct rec_head head;
	s64 ret;
	u64 args[6];
};

struct rec_more {
	/* Times of entry and return; 0 where not taken. */
	u64 entered;
	u64 at;
	u64 ip;
	u64 sp;
};

enum block_flag {
	/* Holds what was there at exit; else at entry, or is known not to have changed since. */
	BLOCK_EXIT = 1,
	/* More was wanted but could not be read. */
	BLOCK_FAULTED = 2,
	/* Words up to a zero: elements behind it are not followed. */
	BLOCK_WORDS = 4,
	/* No memory, but what descriptor `addr` is: the netlink protocol, a u32. Sent before the message it is for. */
	BLOCK_NETLINK = 8,
	/* Likewise: whether it is a terminal. */
	BLOCK_TERMINAL = 16,
};

/* A piece of the program's memory; `len` bytes follow, padded to 8. */
struct rec_block {
	u64 addr;
	u32 len;
	u16 elem;
	u8 op;
	u8 flags;
};

struct rec_start {
	/* With the ABI of the call that made it. */
	struct rec_head head;
	u64 at;
	/* 0: was there already. */
	u64 parent;
	u64 process;
};

struct rec_signal {
	struct rec_head head;
	u64 at;
	/* The kernel's siginfo; what lies behind it in the user's siginfo_t is zero. */
	u64 info[6];
	u64 ip;
};

struct rec_exit {
	struct rec_head head;
	u64 at;
	/* As wait(2) gives it. */
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
	/* Its former id; 0 if that is not known. */
	u64 old;
};

enum file_flag {
	/* No longer in its directory. */
	FILE_UNHASHED = 1,
	/* A file without a directory. */
	FILE_ALONE = 2,
	/* Its path is longer than any that /proc would tell. */
	FILE_CUT = 4,
	/* The call made it. */
	FILE_MADE = 8,
	/* There is no such descriptor. */
	FILE_NONE = 16,
};

/* What is known besides the path (-yy); which of it depends on the kind of file. */
struct file_detail {
	/*
	 * eventfd: count, id, flags; signalfd: mask; pidfd: pid; terminal: index; netlink: protocol, port; unix: the peer's inode. (A
	 * unix socket's own name comes behind that of the file.)
	 */
	u64 numbers[3];
	/* Sockets of the internet: addresses and ports, the program's own first. */
	u32 addresses[8];
	u16 ports[2];
	u16 family;
	u16 pad;
};

/* The names of its path follow, each with a NUL, from the last to the first. */
struct rec_file {
	struct rec_head head;
	/* Of no account: these records are wanted only where there is one ring. */
	u64 at;
	s64 fd;
	u64 ino;
	/* The kind of file system. */
	u64 magic;
	u32 mode;
	u32 nlink;
	/* As the kernel has it: 12 bits, 20 bits. */
	u32 rdev;
	u32 flags;
	struct file_detail detail;
};

struct rec_blocked {
	struct rec_head head;
	u64 at;
	u64 args[6];
	/* 0 where it was not taken. */
	u64 entered;
	u64 ip;
	u64 sp;
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
	/* Whether the drain thread waits to be woken. */
	u32 drain_waits;
	u32 pad[13];
};

/* ---- plans ---- */

enum op_kind { OP_BYTES = 0, OP_STR = 1, OP_WORDS = 2, OP_TERMINAL = 3 };
enum op_dir {
	/* What the program had there before the call. */
	DIR_ENTRY = 1,
	/* What is there once it returned: with success only, or always. */
	DIR_EXIT = 2,
	DIR_ALWAYS = 4,
};
enum op_count { COUNT_FIXED = 0, COUNT_AT = 1, COUNT_DEREF = 2, COUNT_RET = 3 };

enum bound {
	/* The parent of ops whose pointer is an argument. */
	OP_ROOT = 0xff,
	/* Where the stack pointer stands behind the argument words. */
	AT_STACK = 48,
	/* Bytes of memory in the records of simple calls: few, or a string of the usual length. */
	SIMPLE_FEW = 8,
	SIMPLE_MAX = 40,
	/* Ops run one after another for one call. */
	MAX_RUN = 32,
	/* Choices of one call. */
	MAX_CHOICES = 2,
	/* Offsets within an element. */
	MAX_AT = 4096,
	/* The lengths that a netlink message may give as its own; see stride_syscalls::plan::is_message. */
	MESSAGE_MIN = 16,
	MESSAGE_MAX = 1 << 20,
	/* How libudev's messages begin: "libu". */
	UEVENT = 0x7562696c,
	/* Bytes of one block. */
	BLOCK_MAX = 65536,
	/* Numbers per ABI that have a plan. */
	NUMBERS = 1024,
	ABIS = 3,
	/* Syscalls that are counted in the kernel; there is no program that uses as many. */
	COUNT_SLOTS = 256,
	/* Rows where calls are counted by more than their number; and the bytes of a thread's name. */
	COUNT_ROWS = 16384,
	COMM_LEN = 16,
	/* Buckets of a histogram, and how many of them each power of two is divided into, as a power of two. */
	BUCKETS = 320,
	BUCKET_BITS = 3,
	/* Descriptors that a filter of them tells apart in the kernel. */
	FD_MAX = 1024,
};

/* One piece of memory to copy; see stride_syscalls::plan::Op, from which these are made. */
struct op {
	u8 parent;
	u8 kind;
	u8 dir;
	u8 count;
	u16 at;
	u16 elem;
	/* COUNT_FIXED: the number; COUNT_AT and COUNT_DEREF: where it lies. */
	u32 n;
	/* The most that is copied, in elements. */
	u32 cap;
	/* COUNT_AT: its size in bytes; what is taken off it; and the unit it is then counted in, rounded up, as a power of two. */
	u8 width;
	s8 less;
	u8 shift;
	/* OP_BYTES: may be netlink messages, which are copied whole. */
	u8 message;
	u32 pad;
};

enum call_flag {
	/* Calls of this number are wanted. */
	CALL_TRACED = 1,
	/* Memory must be read when the call is entered. */
	CALL_ENTRY = 2,
	/* execve: gone from memory by the time it returns. */
	CALL_EXEC = 4,
	/* exit: does not return. */
	CALL_EXIT = 8,
	/* No memory, or one piece of at most SIMPLE_MAX bytes. */
	CALL_SIMPLE = 16,
	/* Given memory and filled memory, which may be the same. */
	CALL_MIXED = 32,
	/* Makes a thread, which returns from it as well. */
	CALL_CLONE = 64,
	/* Wanted only if one of its descriptors is: those in the registers that `fds` has a bit for. */
	CALL_FDS = 128,
	/* Returns how many bytes it moved. */
	CALL_MOVES = 256,
	/* Says what a thread is called: wanted however it ends, and not counted here. */
	CALL_NAMES = 512,
};

/* Ops `first` to `first + n` of the op map. */
struct op_run {
	u32 first;
	u16 n;
	/* Position of the first in the call's own numbering. */
	u16 base;
};

struct call_plan {
	struct op_run ops;
	u32 flags;
	/* Choices `choice` to `choice + choices` of the choice map. */
	u16 choice;
	u16 choices;
	/* Where it is counted: slot + 1, given on its first return; 0: nowhere yet. */
	u32 slot;
	u32 fds;
};

/* What is counted of one call on one CPU. Times in nanoseconds; what is least is kept as its complement, for which 0 is most. */
struct count_times {
	u64 total;
	u64 least;
	u64 most;
};

struct count {
	u64 calls;
	u64 errors;
	/* Moved. */
	u64 bytes;
	/* From entry to return; and of that, on a CPU. */
	struct count_times wall;
	struct count_times cpu;
	u32 wall_buckets[BUCKETS];
};

/* What the calls of a row have in common, where they are counted by more than their number. What is not asked for is 0. */
struct count_key {
	/* ABI * NUMBERS + number. */
	u32 call;
	u32 error;
	u32 pid;
	u32 tid;
	/* See stride_event::SizeBucket. */
	u32 size;
	u32 pad;
	u8 comm[COMM_LEN];
};

/* Ops that depend on an argument (ioctl's request) or on two. */
struct choice {
	u64 mask;
	u8 arg;
	/* OP_ROOT: none. */
	u8 second;
	u8 shift;
	u8 pad;
	u32 pad2;
	struct op_run otherwise;
};

struct case_key {
	u64 value;
	u64 choice;
};

/* The descriptors of a call. */
struct fds_plan {
	/* Registers, as bits. */
	u8 args;
	/* It returns one. */
	u8 returned;
	/* The register of a pointer to two that it makes, counted from 1; 0: none. */
	u8 pair;
	/* There are some in memory: all that the process has are told. 1: when it is entered, 2: when it returns. */
	u8 all;
	u8 pad[4];
};

/* ---- tasks ---- */

enum task_flag {
	/* Spawned by Stride and not yet at its execve: nothing is shown. */
	TASK_BEFORE_EXEC = 1,
	/* Its execve failed: nothing more is shown but its end. */
	TASK_EXEC_FAILED = 2,
	/* Cloned, or adopted in its execve; has not returned from that call yet, which is not shown. */
	TASK_NEW = 4,
	/* A REC_ENTRY of the call it is in was sent. */
	TASK_ENTRY_SENT = 8,
	/* Its execve is past the point of no return. */
	TASK_EXECING = 16,
	/* And it is the spawned command's first one. */
	TASK_FIRST_EXEC = 32,
	/* The REC_ENTRY of the call it is in found no room. */
	TASK_ENTRY_LOST = 64,
	/* The blocked-call poller saw it in the call that it is in; and a REC_BLOCKED was sent. Other threads set these two, atomically. */
	TASK_SEEN_INSIDE = 128,
	TASK_BLOCKED_TOLD = 256,
	/* A REC_STOPPED of its latest stop was sent. */
	TASK_STOP_TOLD = 512,
	/* A REC_SIGNAL with FLAG_HELD was sent during the call that it is in. Other threads set this, atomically. */
	TASK_SIGNALLED = 1024,
};

/* What was told of a thread's life. Several programs may find out at once: the first to set the flag tells. */
enum life_flag {
	LIFE_BEGUN = 1,
	LIFE_ENDED = 2,
};

/* What is known of a traced thread. */
struct task_state {
	/* Time of its latest entry; how often it had left a CPU by then, and how long it had run. */
	u64 entered;
	u64 switches;
	u64 ran;
	u32 flags;
	u32 lost;
	/* *addrlen at entry. */
	u32 room;
	/* enum life_flag. */
	u32 life;
	/* The id before execve, where Stride's PID namespace is not the first. */
	u32 old_id;
	/* Which ring its records go to. */
	u32 ring;
};

#endif
