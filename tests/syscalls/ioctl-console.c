// stride: -e trace=ioctl -a1
// Requests of consoles, keyboards and fonts. There is no descriptor, so all of them fail: what the kernel would fill in is not shown.
#define _GNU_SOURCE
#include <linux/kd.h>
#include <linux/keyboard.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "request.h"

int main(void)
{
	struct kbentry key = { K_SHIFTTAB, 30, K(KT_LETTER, 'a') }, chord = { 1 << KG_CTRL | 1 << KG_ALT, 1, K_ENTER };
	struct kbsentry types = { KVAL(K_F5), "make\n" };
	struct { unsigned n; struct kbdiacr d[2]; } composed = { 2, { { '`', 'a', 0xe0 }, { '\'', 'e', 0xe9 } } };
	struct kbkeycode code = { 0x1c, 0x1c };
	struct kbd_repeat repeat = { 250, 33 };
	struct unipair pairs[2] = { { 0x41, 1 }, { 0x42, 2 } };
	struct unimapdesc map = { 2, pairs };
	unsigned char font[64] = { 0x18, 0x3c }, colours[48] = { 1, 2, 3 };
	struct consolefontdesc glyphs = { 2, 16, (char *) font };
	struct console_font_op op = { KD_FONT_OP_SET, KD_FONT_FLAG_DONT_RECALC, 8, 16, 1, font };
	struct console_font_op byname = { KD_FONT_OP_SET_DEFAULT, 0, 8, 16, 0, (unsigned char *) "sun" };

	chdir("MARKER");

	TRY(KIOCSOUND, 1193, "1193 /* 1000 Hz */");
	TRY(KIOCSOUND, 0, "0 /* off */");
	TRY(KDMKTONE, 100 << 16 | 1193, "100<<16|1193 /* 1000 Hz, 100 ms */");
	TRY(KDSETLED, LED_CAP | 0x10, "LED_CAP|0x10");
	TRY(KDSKBLED, LED_NUM | LED_NUM << 4, "LED_NUM|LED_NUM<<4");
	TRY(KDGETLED, NULL, "NULL");
	TRY(KDADDIO, 0x3c0, "0x3c0 /* GPFIRST + 12 */");
	TRY(KDSETMODE, KD_GRAPHICS, "KD_GRAPHICS");
	TRY(KDSKBMODE, K_UNICODE, "K_UNICODE");
	TRY(KDSKBMODE, -2, "-2 /* K_??? */");
	TRY(KDSKBMETA, K_ESCPREFIX, "K_ESCPREFIX");
	TRY(KDSKBENT, &key, "{kb_table=K_SHIFTTAB, kb_index=30, kb_value=0xb61 /* K(KT_LETTER, 'a') */}");
	TRY(KDSKBENT, &chord, "{kb_table=1<<KG_CTRL|1<<KG_ALT, kb_index=1, kb_value=0x201 /* K_ENTER */}");
	TRY(KDGKBENT, &key, "{kb_table=K_SHIFTTAB, kb_index=30}");
	TRY(KDSKBSENT, &types, "{kb_func=KVAL(K_F5), kb_string=\"make\\n\"}");
	TRY(KDSKBDIACR, &composed,
	    "{kb_cnt=2, kbdiacr=[{diacr='`', base='a', result='\\xe0'}, {diacr='\\'', base='e', result='\\xe9'}]}");
	TRY(KDSETKEYCODE, &code, "{scancode=0x1c, keycode=0x1c}");
	TRY(KDKBDREP, &repeat, "{delay=250, period=33}");
	TRY(KDSIGACCEPT, 10L, "SIGUSR1");
	TRY(PIO_UNIMAP, &map, "{entry_ct=2, entries=[{unicode=0x41, fontpos=0x1}, {unicode=0x42, fontpos=0x2}]}");
	TRY(GIO_UNIMAP, &map, "{entry_ct=2, entries=%p}", pairs);
	TRY(PIO_FONTX, &glyphs, "{charcount=2, charheight=16, chardata=\"\\x18\\x3c\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00"
	    "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\"...}");
	TRY(PIO_CMAP, colours, "\"\\x01\\x02\\x03\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00"
	    "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\"...");
	TRY(KDFONTOP, &op, "{op=KD_FONT_OP_SET, flags=KD_FONT_FLAG_DONT_RECALC, width=8, height=16, charcount=1, "
	    "data=\"\\x18\\x3c\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00"
	    "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\"}");
	TRY(KDFONTOP, &byname, "{op=KD_FONT_OP_SET_DEFAULT, width=8, height=16, data=\"sun\"}");
	int r = ioctl(-1, PIO_FONTRESET, 0);
	printf("ioctl(-1, PIO_FONTRESET) = %s\n", result(r));
	return 0;
}
