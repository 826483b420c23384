/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* The maps that all objects use. stride.bpf.c makes them, and the others get them. */
#ifndef STRIDE_SHARED_H
#define STRIDE_SHARED_H

/* Threads are traced for a user who may not trace every process (guard.h). */
const volatile bool guarded;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_state);
} tasks SEC(".maps");

#endif
