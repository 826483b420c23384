/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* Questions that a broker has for the kernel: programs that it runs itself, and that are attached nowhere. */
#include "kernel.h"
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

enum { RECORD = 3000 };

/*
 * 1 if two records, neither of which is finished, can overlap in a ring whose reader has set its position ahead by a record.
 * That is CVE-2024-41009: who may write the position can then have one record overwrite another's header, and with it the kernel's memory.
 */
SEC("raw_tp")
int records_overlap(void *ctx)
{
	void *first = bpf_ringbuf_reserve(&ring, RECORD, 0), *second;
	int overlap = 0;

	if (!first)
		return 0;
	second = bpf_ringbuf_reserve(&ring, RECORD, 0);
	if (second) {
		overlap = 1;
		bpf_ringbuf_discard(second, BPF_RB_NO_WAKEUP);
	}
	bpf_ringbuf_discard(first, BPF_RB_NO_WAKEUP);
	return overlap;
}

/* True if a process has a descriptor of the ring, or has the ring mapped. (This program's own reference is not counted in usercnt.) */
SEC("raw_tp")
int is_held(void *ctx)
{
	struct bpf_map *map = (struct bpf_map *)&ring;

	return map->usercnt.counter > 0;
}
