/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Notes the code of an address space at the moment when it is mapped. A program that is over soon takes its mappings with it before Stride can read
 * them from /proc, and reading them takes longer than all that a short program does.
 */
#ifndef STRIDE_MAPPED_CODE_H
#define STRIDE_MAPPED_CODE_H

#include "scratch.h"
#include "stack_state.h"

/* linux/mm.h, linux/fs.h */
#define VM_EXEC 4
#define FMODE_BACKING (1 << 25)

/* The files that code was mapped from. The path of a file that the reader has opened is not looked up again. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct code_file_key);
	__type(value, struct code_file);
} code_files SEC(".maps");

/* 1 if the first so many bytes of a text differ. */
static __always_inline u64 begins_otherwise(u64 text, u64 beginning, u32 bytes)
{
	return differs(text & (1ULL << 8 * bytes) - 1, beginning);
}

/* Names of files that may have a run-time system of scripts begin so. */
static __always_inline bool may_run_scripts(struct dentry *dentry)
{
	/* "python3"; "libpytho" and "n3"; "node"; "libnode"; "php"; "libphp"; "ruby"; "libruby"; "perl"; "libperl" */
	const u64 program = 0x336e6f68747970, library = 0x6f6874797062696c, rest = 0x336e;
	const u64 node = 0x65646f6e, libnode = 0x65646f6e62696c;
	const u64 php = 0x706870, libphp = 0x70687062696c;
	const u64 ruby = 0x79627572, libruby = 0x7962757262696c;
	const u64 perl = 0x6c726570, libperl = 0x6c72657062696c;
	u64 name[2] = {};

	if (bpf_probe_read_kernel_str(name, sizeof(name), BPF_CORE_READ(dentry, d_name.name)) < 0)
		return false;
	return !(begins_otherwise(name[0], program, 7) & (differs(name[0], library) | begins_otherwise(name[1], rest, 2)) &
		 begins_otherwise(name[0], node, 4) & begins_otherwise(name[0], libnode, 7) &
		 begins_otherwise(name[0], perl, 4) & begins_otherwise(name[0], libperl, 7) &
		 begins_otherwise(name[0], ruby, 4) & begins_otherwise(name[0], libruby, 7) &
		 begins_otherwise(name[0], php, 3) & begins_otherwise(name[0], libphp, 6));
}

static __always_inline void note_version(struct code_mapping *to, struct inode *inode)
{
	struct inode___timespec *old = (void *)inode;
	struct inode___private_timespec *middle = (void *)inode;

	to->size = BPF_CORE_READ(inode, i_size);
	if (bpf_core_field_exists(inode->i_mtime_sec)) {
		to->modified = BPF_CORE_READ(inode, i_mtime_sec);
		to->modified_ns = BPF_CORE_READ(inode, i_mtime_nsec);
	} else if (bpf_core_field_exists(middle->__i_mtime)) {
		to->modified = BPF_CORE_READ(middle, __i_mtime.tv_sec);
		to->modified_ns = BPF_CORE_READ(middle, __i_mtime.tv_nsec);
	} else {
		to->modified = BPF_CORE_READ(old, i_mtime.tv_sec);
		to->modified_ns = BPF_CORE_READ(old, i_mtime.tv_nsec);
	}
}

/* Notes a mapping in the CPU's change, if it is code. */
static long note_mapping(struct task_struct *task, struct vm_area_struct *vma, void *ctx)
{
	struct stack_state *state = stack_state();
	struct code_mapping *to;
	struct file *file;
	struct inode *inode;
	u32 n;

	if (!state)
		return 1;
	n = ONCE(state->change.mappings);
	state->looked_to = BPF_CORE_READ(vma, vm_end);
	if (!(BPF_CORE_READ(vma, vm_flags) & VM_EXEC))
		return 0;
	if (n >= CODE_MAPPINGS) {
		state->change.mappings = MAPPINGS_UNKNOWN;
		return 1;
	}
	asm volatile("" : "+r"(n));
	to = &state->change.mapping[n & (CODE_MAPPINGS - 1)];
	__builtin_memset(to, 0, sizeof(*to));
	to->start = BPF_CORE_READ(vma, vm_start);
	to->end = BPF_CORE_READ(vma, vm_end);
	state->change.mappings = n + 1;
	file = BPF_CORE_READ(vma, vm_file);
	if (!file) {
		to->backing = to->start == (u64)BPF_CORE_READ(task, mm, context.vdso) ? CODE_VDSO : CODE_ANONYMOUS;
		return 0;
	}
	/* (A file of an overlay has two inodes, and kernels differ in which of them /proc names.) */
	if (BPF_CORE_READ(file, f_mode) & FMODE_BACKING) {
		state->change.mappings = MAPPINGS_UNKNOWN;
		return 1;
	}
	inode = BPF_CORE_READ(file, f_inode);
	to->backing = CODE_OF_FILE;
	to->offset = BPF_CORE_READ(vma, vm_pgoff) * PAGE;
	to->file.inode = BPF_CORE_READ(inode, i_ino);
	to->file.device = BPF_CORE_READ(inode, i_sb, s_dev);
	note_version(to, inode);
	state->climb.mnt = BPF_CORE_READ(file, f_path.mnt);
	state->climb.dentry = BPF_CORE_READ(file, f_path.dentry);
	if (may_run_scripts(state->climb.dentry))
		state->may_run_scripts = 1;
	return 0;
}

static long code_path_step(u64 i, void *ctx)
{
	struct stack_state *state = stack_state();

	return !state || climb_path(&state->climb, ((struct code_file *)state->bytes)->text, CODE_PATH, i);
}

/*
 * Notes the path of the file that the change's last mapping has. (Outside of note_mapping, where the address space is locked. If the file
 * is closed meanwhile, the path is nonsense, and the reader finds another file there, or none.) Returns 0 if the reader has opened the
 * file, 1 if it has not, and a negative number if the path is not known.
 */
__noinline int note_code_file(void)
{
	struct stack_state *state = stack_state();
	struct code_mapping *mapping;
	struct code_file *file;
	u32 n;

	if (!state)
		return -1;
	n = ONCE(state->change.mappings) - 1;
	asm volatile("" : "+r"(n));
	mapping = &state->change.mapping[n & (CODE_MAPPINGS - 1)];
	if (ONCE(mapping->backing) != CODE_OF_FILE)
		return 0;
	file = bpf_map_lookup_elem(&code_files, &mapping->file);
	if (file && file->opened && file->size == mapping->size && file->modified == mapping->modified &&
	    file->modified_ns == mapping->modified_ns)
		return 0;
	file = (struct code_file *)state->bytes;
	file->size = mapping->size;
	file->modified = mapping->modified;
	file->modified_ns = mapping->modified_ns;
	file->opened = 0;
	state->climb.from = CODE_PATH;
	state->climb.is_whole = 0;
	bpf_loop(PATH_STEPS, code_path_step, NULL, 0);
	if (!ONCE(state->climb.is_whole))
		return -1;
	file->from = ONCE(state->climb.from);
	return bpf_map_update_elem(&code_files, &mapping->file, file, BPF_ANY) ? -1 : 1;
}

/* How far the code that a change has mapped is noted. */
enum noted {
	/* The reader must read it from /proc. */
	NOTED_NOTHING,
	/* The reader has yet to open a file, for which the process must be there if the file is not where others find it. */
	NOTED_NEW_FILE,
	NOTED_ALL,
};

/*
 * Notes the mapping at an address, if there is one, and if it is code. Returns 0 if the reader has opened its file, 1 if it has not, and a negative number if that
 * is not known. (A function of its own, because the verifier walks what the loop below calls once for each round otherwise.)
 */
__noinline int note_mapping_at(u64 address)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct stack_state *state = stack_state();
	u32 before;

	if (!state)
		return -1;
	before = ONCE(state->change.mappings);
	if (bpf_find_vma(task, address, note_mapping, NULL, 0) || ONCE(state->change.mappings) == MAPPINGS_UNKNOWN)
		return -1;
	return ONCE(state->change.mappings) > before ? note_code_file() : 0;
}

/*
 * Notes in the CPU's change which code is mapped between two addresses of the current thread's address space, where no hole is. Returns an
 * enum noted.
 */
__noinline int note_mappings(u64 start, u64 end)
{
	struct stack_state *state = stack_state();
	int noted = NOTED_ALL;

	if (!state)
		return NOTED_NOTHING;
	for (int i = 0; i < CODE_MAPPINGS; i++) {
		int file = note_mapping_at(start);

		if (file < 0)
			break;
		if (file)
			noted = NOTED_NEW_FILE;
		start = ONCE(state->looked_to);
		if (start >= end)
			return noted;
	}
	state->change.mappings = MAPPINGS_UNKNOWN;
	return NOTED_NOTHING;
}

/* The same for a program that begins: its own code, that of the dynamic linker, where it begins, and the vDSO. */
__noinline int note_program_mappings(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	u64 ip = ip_of(regs), start = BPF_CORE_READ(task, mm, start_code), end = BPF_CORE_READ(task, mm, end_code);
	u64 vdso = (u64)BPF_CORE_READ(task, mm, context.vdso);
	int noted = note_mappings(start, end), more;

	if (noted && (ip < start || ip >= end)) {
		more = note_mappings(ip, ip + 1);
		noted = more < noted ? more : noted;
	}
	if (noted && vdso) {
		more = note_mappings(vdso, vdso + 1);
		noted = more < noted ? more : noted;
	}
	return noted;
}

#endif
