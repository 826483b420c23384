/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The layouts that the kernel side and the user side share: the records of the ring (wire_records.h), stacks and code (wire_stacks.h), and the plans in the maps.
 *
 * These headers are the only place where these layouts are written down. The Rust mirror is generated from the compiled
 * object's type information (build.rs). Every struct is a multiple of 8 bytes without hidden padding.
 */
#ifndef STRIDE_WIRE_H
#define STRIDE_WIRE_H

#include "wire_records.h"

/* ---- plans ---- */

enum op_kind { OP_BYTES = 0, OP_STR = 1, OP_WORDS = 2, OP_FILE_KIND = 3 };
enum op_dir {
	/* The memory as the program filled it before the call. */
	DIR_ENTRY = 1,
	/* The memory after the call: only on success, or always. */
	DIR_EXIT = 2,
	DIR_ALWAYS = 4,
};
enum op_count { COUNT_FIXED = 0, COUNT_AT = 1, COUNT_DEREF = 2, COUNT_RET = 3 };

enum bound {
	/* The parent of ops whose pointer is an argument. */
	OP_ROOT = 0xff,
	/* The position of the stack pointer, behind the argument words. */
	AT_STACK = 48,
	/* Bytes of memory in the records of simple calls: few, or a string of the usual length. */
	SIMPLE_FEW = 8,
	SIMPLE_MAX = 40,
	/* Ops of one call that are run one after another. */
	MAX_RUN = 64,
	/* Choices of one call. */
	MAX_CHOICES = 2,
	/* Offsets within an element. */
	MAX_AT = 4096,
	/* The lengths that a netlink message may have; see stride_syscalls::plan::is_message. */
	MESSAGE_MIN = 16,
	MESSAGE_MAX = 1 << 20,
	/* How libudev's messages begin: "libu". */
	UEVENT = 0x7562696c,
	/* Bytes of one block; and of all blocks of a call that are sent in pieces, before its record. */
	BLOCK_MAX = 65536,
	PIECES_MAX = 2 << 20,
	/* Where the last block of a record begins, at most: there is room for all of 1,024 messages (UIO_MAXIOV) with their names and buffers. */
	BLOCKS_END = 9 << 14,
	/* Numbers per ABI that have a plan. */
	NUMBERS = 1024,
	ABIS = STRIDE_ABIS,
	/* Syscalls that are counted in the kernel. No program uses so many. */
	COUNT_SLOTS = 256,
	/* Rows if calls are counted by more than their number, and the bytes of a thread's name. */
	COUNT_ROWS = 16384,
	COMM_LEN = 16,
	/* Buckets of a histogram, and log2 of the number of buckets for each power of two. */
	BUCKETS = 320,
	BUCKET_BITS = 3,
	/* Descriptors that a filter can distinguish in the kernel. */
	FD_MAX = 1024,
	/* Of a stack: words that are compared; pieces they are read in, of a page at most, and bytes of all pieces; bytes copied. */
	STACK_WORDS = 128,
	STACK_RANGES = 16,
	STACK_REREAD = 16384,
	STACK_COPY = 32768,
	/* Return addresses of a stack that may be replaced, because the return is watched. The kernel allows as many (MAX_URETPROBE_DEPTH). */
	STACK_RETURNS = 64,
	/*
	 * Frames of scripts; threads and interpreters that are looked at to find a thread; words of code that never change, and of the objects whose contents
	 * tell code apart; objects of code.
	 */
	SCRIPT_FRAMES = 512,
	SCRIPT_THREADS = 1024,
	SCRIPT_CONSTANT = 24,
	SCRIPT_CONTENT = 64,
	SCRIPT_CONTENTS = 3,
	/* Bytes of a task, a coroutine, a set or a name, places of a set, and steps from one to the next that are looked at. */
	TASK_BYTES = 192,
	TASK_PLACES = 8,
	TASK_STEPS = 128,
	/* Bytes of names and tables that are copied of each object, and of all objects. */
	SCRIPT_NAME = 384,
	SCRIPT_TABLE = 1024,
	SCRIPT_COPY = 16384,
	/* Calls that one call of i386 may stand for; the places of the first select and mmap among those of socketcall. */
	TARGET_CALLS = 32,
	TARGET_SELECT = 30,
	TARGET_MMAP = 31,
	/* Stacks remembered, and those of one place; address spaces whose generations are told apart. */
	STACK_MEMOS = 16384,
	STACK_VARIANTS = 8,
	SPACES = 1024,
	/* Changes of mapped code that are remembered, the latest ones. */
	CODE_CHANGES = 4096,
	/* Mappings that one change makes, files that were mapped, and bytes of a file's path. */
	CODE_MAPPINGS = 4,
	CODE_FILES = 1024,
	CODE_PATH = 1000,
	/* Running processes that have called execve, and whose address spaces are told apart. */
	MOST_PROCESSES = 1 << 16,
	/* Places for which samples are counted; several may count together. */
	STACK_SITES = 65536,
	/* Patterns; the parts of one, and its classes of characters. */
	MOST_GLOBS = 32,
	GLOB_MAX = 256,
	GLOB_CLASSES = 8,
	/* Calls whose functions programs are attached to, and bytes of a function's name. */
	MOST_FUNCTIONS = 16,
	FUNCTION_NAME = 64,
	/* Processes that are never traced, cgroups that are wanted, and bytes of a cgroup's name. */
	MOST_LEFT_OUT = 4096,
	MOST_CGROUPS = 16384,
	CGROUP_NAME = 256,
};

/* One directory of a path to a wanted cgroup. The directory below it is the next one. */
struct cgroup_part {
	/* The id of the cgroup above it. 0 if that is not there. */
	u64 above;
	/* It is the wanted cgroup itself. */
	u64 last;
	/* Filled up with zeros. */
	u8 name[CGROUP_NAME];
};

/* One piece of memory to copy. Made from stride_syscalls::plan::Op. */
struct op {
	u8 parent;
	u8 kind;
	u8 dir;
	u8 count;
	u16 at;
	u16 elem;
	/* COUNT_FIXED: the number. COUNT_AT and COUNT_DEREF: where the number lies. */
	u32 n;
	/* The most elements that are copied. 0: the op is left out. */
	u32 cap;
	/*
	 * COUNT_AT: the count's size in bytes, what is subtracted from it, and log2 of the unit by which it is then divided,
	 * rounded up.
	 */
	u8 width;
	s8 less;
	u8 shift;
	/* OP_BYTES: the memory may be netlink messages, which are copied whole. */
	u8 message;
	/* No op follows pointers in this memory. */
	u8 leaf;
	u8 pad[3];
};

enum call_flag {
	/* Calls of this number are wanted. */
	CALL_TRACED = 1,
	/* Memory must be read when the call is entered. */
	CALL_ENTRY = 2,
	/* execve: the memory is gone when the call returns. */
	CALL_EXEC = 4,
	/* No memory, or one piece of at most SIMPLE_MAX bytes. */
	CALL_SIMPLE = 8,
	/* Input memory and output memory, which may be the same. */
	CALL_MIXED = 16,
	/* Makes a thread, which returns from the call as well. */
	CALL_CLONE = 32,
	/* Wanted only if one of its descriptors is wanted: those in the registers with a bit in `fds`. */
	CALL_FDS = 64,
	/* Returns how many bytes it moved. */
	CALL_MOVES = 128,
	/* Says what a thread is called: wanted however it ends, and not counted here. */
	CALL_NAMES = 256,
	/* May map code, if its third argument has PROT_EXEC; or may move it. */
	CALL_MAPS = 512,
	CALL_REMAPS = 1024,
	/* Maps shared memory, as code if its third argument has SHM_EXEC. */
	CALL_ATTACHES = 2048,
	/* Reported for what follows from it, and not shown: needs no stack. */
	CALL_UNSHOWN = 4096,
	/* May set the thread's user. */
	CALL_SETS_USER = 8192,
};

/* Ops `first` to `first + n` of the op map. */
struct op_run {
	u32 first;
	u16 n;
	/* Position of the first op in the call's own numbering. */
	u16 base;
};

struct call_plan {
	struct op_run ops;
	u32 flags;
	/* Choices `choice` to `choice + choices` of the choice map. */
	u16 choice;
	u16 choices;
	/* Where the call is counted: slot + 1, assigned at its first return. 0: none yet. */
	u32 slot;
	u32 fds;
};

/* Counts of one call on one CPU. Times in nanoseconds. Minima are kept as complements, so that 0 is the largest. */
struct count_times {
	u64 total;
	u64 least;
	u64 most;
};

struct count {
	u64 calls;
	u64 errors;
	/* Bytes moved. */
	u64 bytes;
	/* Calls whose entry was seen. The times are theirs. */
	u64 timed;
	/* The time from entry to return, and the part of it on a CPU. */
	struct count_times wall;
	struct count_times cpu;
	u32 wall_buckets[BUCKETS];
};

/* What the calls of a row have in common, if they are counted by more than their number. Keys that are not asked for are 0. */
struct count_key {
	/* ABI * NUMBERS + number. */
	u32 call;
	u32 error;
	u32 pid;
	u32 tid;
	/* See stride_event::PowerBucket. */
	u32 size;
	u32 duration;
	u32 user;
	/* The interval in which the calls returned. */
	u32 interval;
	u64 cgroup;
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

/* ---- calls of i386 that stand for others (multiplexed.h) ---- */

struct target_call {
	/* 0: none. */
	u16 nr;
	/* Where its arguments come from: 0 is nowhere, then come arguments, and from TARGET_MEMORY on words of memory. */
	u8 from[6];
	/* The argument that points to these words, and their number. */
	u8 pointer;
	u8 words;
};

#include "wire_stacks.h"

/* ---- all processes (wanted.h) ---- */

/* A part of a pattern: a character, or one of these. Classes are numbered from the last on. */
enum glob_atom {
	GLOB_ANY = 256,
	GLOB_STAR = 257,
	GLOB_CLASS = 258,
};

struct glob_class {
	u64 bits[4];
};

struct glob {
	u32 n;
	/* A text that matches is not wanted. */
	u32 inverted;
	u16 atoms[GLOB_MAX];
	struct glob_class classes[GLOB_CLASSES];
};

enum left_out_flag {
	/* Its children are left out, too. */
	LEFT_OUT_CHILDREN = 1,
};

/* The descriptors of a call. */
struct fds_plan {
	/* Registers, as a bit mask. */
	u8 args;
	/* The call returns one. */
	u8 returned;
	/* The register with a pointer to two descriptors that the call makes, counted from 1. 0: none. */
	u8 pair;
	/* enum fds_all: there are some in memory, so all of the process's descriptors are reported. */
	u8 all;
	/* Likewise, the register with a pointer to a message header, and enum fds_passed. */
	u8 message;
	u8 passed;
	/* And the register with a pointer to a socket address. */
	u8 address;
	/* Descriptors are in memory or not, depending on this register, and perhaps on another one: see case_key. */
	u8 chosen;
	u8 second;
	u8 shift;
	u8 pad[2];
	u32 mask;
};

enum fds_all {
	FDS_ALL_GIVEN = 1,
	FDS_ALL_MADE = 2,
	/* Given in a netlink message. */
	FDS_OF_NETLINK = 4,
};

enum fds_passed {
	/* The message's control messages pass descriptors: those that the program gives, or those that the call makes. */
	FDS_SENT = 1,
	FDS_RECEIVED = 2,
	/* There is an array of headers. The next register, or the result, says how many. */
	FDS_MANY_MESSAGES = 4,
};

/* ---- functions of calls (functions.h) ---- */

struct function_name {
	u64 text[FUNCTION_NAME / 8];
};

/* The question to the kernel for the functions of calls, and the kernel's answer. */
struct function_search {
	/* The numbers of calls, and the names of their functions. */
	u32 n;
	u32 failed;
	u32 numbers[MOST_FUNCTIONS];
	struct function_name names[MOST_FUNCTIONS];
	/* The kernel serves 32-bit calls, and those of x32. */
	u32 has_32bit;
	u32 has_x32;
};

/* ---- functions of libraries (library.h) ---- */

enum word_kind { WORD_CONSTANT = 0, WORD_REGISTER = 1, WORD_MEMORY = 2 };
enum text_kind { TEXT_NONE = 0, TEXT_STRING = 1, TEXT_BUFFER = 2 };

/* Where a word is when a probe is passed. */
struct probe_word {
	/* The constant, or what is added to the register. */
	s64 value;
	/* The register's offset in struct pt_regs. */
	u16 reg;
	u8 kind;
	u8 size;
	u8 is_signed;
	u8 text;
	/* TEXT_BUFFER: the number of the word that has its length. */
	u8 len;
	u8 pad;
};

struct probe_plan {
	u32 n;
	/* The return is watched. */
	u32 returns;
	struct probe_word words[LIBRARY_WORDS];
	struct probe_word result;
};

/* ---- operations of io_uring (uring.h) ---- */

/* An argument that points to a text: where its address and its length (TEXT_BUFFER) are in struct io_uring_sqe. */
struct uring_text {
	u8 word;
	u8 kind;
	u8 at;
	u8 len_at;
};

struct uring_plan {
	struct uring_text texts[2];
};

/* The descriptors of an operation: where they are in struct io_uring_sqe (0: nowhere), and whether the result is one. */
struct uring_fds {
	u8 at[2];
	u8 returned;
	u8 pad;
};

/* ---- tasks ---- */

enum task_flag {
	/* Spawned by Stride, and not at its execve yet: nothing is shown. */
	TASK_BEFORE_EXEC = 1,
	/* Its execve failed: only its end is shown. */
	TASK_EXEC_FAILED = 2,
	/* Cloned, or adopted in its execve. It has not returned from that call yet, which is not shown. */
	TASK_NEW = 4,
	/* A REC_ENTRY of the call it is in was sent. */
	TASK_ENTRY_SENT = 8,
	/* Its execve is past the point of no return. */
	TASK_EXECING = 16,
	/* That execve is the spawned command's first one. */
	TASK_FIRST_EXEC = 32,
	/* The REC_ENTRY of the call it is in found no room. */
	TASK_ENTRY_LOST = 64,
	/* The blocked-call poller saw it in its present call; and sent a REC_BLOCKED. Other threads set these two, atomically. */
	TASK_SEEN_INSIDE = 128,
	TASK_BLOCKED_TOLD = 256,
	/* A REC_STOPPED of its latest stop was sent. */
	TASK_STOP_TOLD = 512,
	/* A REC_SIGNAL with FLAG_HELD was sent during its present call. Other threads set this, atomically. */
	TASK_SIGNALLED = 1024,
	/* It returns from a function of a library whose return is watched, by a system call that the kernel made for that. */
	TASK_IN_RETURN = 2048,
	/* The REC_ENTRY of the call it is in has FLAG_FAULTED. */
	TASK_ENTRY_FAULTED = 4096,
};

/* The programs that have seen a thread's latest call (functions.h). */
enum hook_flag {
	/* The program at sys_enter has seen the entry. */
	HOOK_ENTERED = 1,
	/* The program at the function's entry has seen it. */
	HOOK_INSIDE = 2,
	/* The program at the function's end has handled the return. */
	HOOK_REPORTED = 4,
};

/* The parts of a thread's life that were reported. Several programs may find out at once: the first to set the flag reports. */
enum life_flag {
	LIFE_BEGUN = 1,
	LIFE_ENDED = 2,
};

/* The proof that the user may trace the thread. It is used only if tracing is guarded (guard.h). */
enum proof_state {
	PROOF_GIVEN = 0,
	/* The proof is being checked. The thread is not traced yet. */
	PROOF_AWAITED = 1,
	/* The proof does not hold any longer. The thread is not traced. */
	PROOF_VOID = 2,
};

/* The state of a traced thread. */
struct task_state {
	/* Time of its latest entry. */
	u64 entered;
	/*
	 * Only if times on a CPU are counted: how often it had left a CPU by then, how often it had changed to another CPU, how long it had been off
	 * CPUs, counted from an unknown start, and how long it had run when that was last accounted for.
	 */
	u64 switches;
	u64 migrations;
	u64 off_cpu;
	u64 ran;
	/* When its run time was last accounted for, as it was when a call returned. Only if durations are chosen. */
	u64 accounted;
	/* The stack pointer when its latest signal was delivered. Only if stacks are taken. */
	u64 interrupted;
	/* Where the run-time system of its scripts keeps the thread. 0 if that is not known. */
	u64 script_thread;
	u32 flags;
	u32 lost;
	/* *addrlen at entry. */
	u32 room;
	/* enum life_flag. */
	u32 life;
	/* The id before execve, if Stride is not in the first PID namespace. */
	u32 old_id;
	/* The ring of its records. */
	u16 ring;
	/* How many generations of processes lie between it and the first one. */
	u16 depth;
	/* enum proof_state. Other threads set this, atomically. */
	u32 proof;
	/* The fill of its ring when it last asked for that, and the small records that it may send before it asks again. */
	u32 fill;
	u32 unlooked;
	/* enum hook_flag. Only the thread itself changes this. */
	u32 hooks;
};

#endif
