/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* Reads more of a tracee's memory into the scratch than one helper call can. */
#ifndef STRIDE_READ_H
#define STRIDE_READ_H

#include "scratch.h"

#define PAGE 4096

static long read_step(u64 i, void *ctx)
{
	struct scratch *s = scratch();
	u32 got, want, len, to;
	u64 ptr;

	if (!s)
		return 1;
	ptr = s->read.ptr;
	want = s->read.want;
	got = s->read.got;
	if (got >= want)
		return 1;
	ptr += got;
	to = s->read.to + got;
	len = PAGE - (u32)ptr % PAGE;
	if (len > want - got)
		len = want - got;
	/* The bounds are checked on the same registers that are used. */
	asm volatile("" : "+r"(to), "+r"(len));
	if (to > sizeof(s->data) - PAGE || len > PAGE || bpf_probe_read_user(s->data + to, len, (void *)ptr))
		return 1;
	s->read.got = got + len;
	return 0;
}

/* Reads as many bytes as are readable, page by page. Returns how many. */
static __always_inline u32 by_page(struct scratch *s, u32 to, u32 want, u64 ptr)
{
	s->read.ptr = ptr;
	s->read.to = to;
	s->read.want = want;
	s->read.got = 0;
	bpf_loop(BLOCK_MAX / PAGE + 1, read_step, NULL, 0);
	return s->read.got;
}

__noinline int read_pages(struct scratch *s, u32 to, u32 want, u64 ptr)
{
	return s ? by_page(s, to, want, ptr) : 0;
}

static long scan_step(u64 i, void *ctx)
{
	struct scratch *s = scratch();

	if (!s || i >= s->scan.words)
		return 1;
	if (number_at(s, s->scan.from + (u32)i * s->scan.word, s->scan.word))
		return 0;
	s->scan.words = i + 1;
	s->scan.found = 1;
	return 1;
}

/* Reads words up to and including the first zero. Returns their size in bytes. */
__noinline int read_words(struct scratch *s, u32 to, u32 want, u64 ptr)
{
	if (!s)
		return 0;
	s->scan.from = to;
	s->scan.word = word_size(s);
	s->scan.found = 0;
	/* Most are short: reads a page first, and all of it only if the end is not there. */
	s->scan.words = by_page(s, to, want > PAGE ? PAGE : want, ptr) / s->scan.word;
	bpf_loop(PAGE / 4, scan_step, NULL, 0);
	if (!s->scan.found && want > PAGE && s->read.got == PAGE) {
		s->scan.words = by_page(s, to, want, ptr) / s->scan.word;
		bpf_loop(BLOCK_MAX / 4, scan_step, NULL, 0);
	}
	return s->scan.words * s->scan.word;
}

#endif
