/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Memory for which a call's record has no room: large buffers, and the rest of many buffers. It is sent in pieces, before the record. (The
 * interpreter only notes such blocks. Inside it, the chain of calls would be deeper than the kernel allows.)
 */
#ifndef STRIDE_PIECES_H
#define STRIDE_PIECES_H

/* A writer is delayed once for so many bytes, as for a record of this size. So no call is delayed for long. */
#define DELAY_BITS 17

/* Sends the next piece of a block. */
static long send_piece(u64 i, void *ctx)
{
	struct scratch *s = scratch();
	struct task_state *st = traced(bpf_get_current_task_btf());
	struct rec_memory *rec;
	u32 end, to, len, sent;
	u64 ptr;

	if (!s || !st)
		return 1;
	ptr = s->piece.ptr;
	end = ONCE(s->piece.end);
	if (!s->piece.left || end > BLOCKS_END + BLOCK_MAX + MAX_AT)
		return 1;
	/* Up to a page's end, so that what is missing begins with a piece's last page. */
	len = PIECE_SIZE - (u32)ptr % PAGE;
	if (len > s->piece.left)
		len = s->piece.left;
	rec = (struct rec_memory *)(s->data + end);
	to = end + sizeof(*rec);
	/* The bound is checked on the same register that is used. */
	asm volatile("" : "+r"(len));
	if (len > PIECE_SIZE)
		return 1;
	if (bpf_probe_read_user(s->data + to, len, (void *)ptr)) {
		s->piece.left = 0;
		len = read_pages(s, to, len, ptr);
		asm volatile("" : "+r"(len));
		if (!len || len > PIECE_SIZE)
			return 1;
	} else {
		s->piece.left -= len;
	}
	s->piece.ptr = ptr + len;
	rec->head = s->call.head;
	rec->head.kind = REC_MEMORY;
	rec->head.flags = 0;
	rec->head.lost = 0;
	rec->at = 0;
	rec->len = len;
	sent = s->piece.sent;
	s->piece.sent = sent + len;
	if (!send_memory(st, rec, sizeof(*rec) + len, !sent || sent >> DELAY_BITS != (sent + len) >> DELAY_BITS)) {
		s->call.head.flags |= FLAG_FULL;
		s->piece.ptr = ptr;
		s->piece.left = 0;
	}
	return 0;
}

/* Sends the bytes of the next block, if that is to be sent in pieces. */
static long send_next_block(u64 i, void *ctx)
{
	struct scratch *s = scratch();
	struct rec_block *b;
	u32 off, len;

	if (!s)
		return 1;
	off = ONCE(s->piece.off);
	if (off >= BLOCKS_END || off >= s->piece.end)
		return 1;
	b = (struct rec_block *)(s->data + off);
	if (!(b->flags & BLOCK_BEFORE)) {
		s->piece.off = off + sizeof(*b) + ((b->len + 7) & ~7U);
		return 0;
	}
	s->piece.off = off + sizeof(*b);
	len = b->len;
	if (len > PIECES_MAX - s->piece.sent) {
		s->call.head.flags |= FLAG_FULL;
		len = PIECES_MAX - s->piece.sent;
	}
	s->piece.ptr = b->addr;
	s->piece.left = len;
	bpf_loop(PIECES_MAX / (PIECE_SIZE - PAGE) + 1, send_piece, NULL, 0);
	if (s->piece.ptr - b->addr < len) {
		b->flags |= BLOCK_FAULTED;
		s->call.head.flags |= FLAG_FAULTED;
	}
	len = s->piece.ptr - b->addr;
	b->len = len;
	return 0;
}

__noinline int send_pieces(struct scratch *s)
{
	if (!s)
		return 0;
	s->piece.off = 0;
	s->piece.end = s->used;
	s->piece.sent = 0;
	bpf_loop(BLOCKS_END / sizeof(struct rec_block), send_next_block, NULL, 0);
	return 0;
}

#endif
