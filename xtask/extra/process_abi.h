/* Structs that system calls take but that live in the kernel's own headers or sources. */
#include <linux/types.h>
#include <linux/time_types.h>

/* include/linux/sched.h or one of its parts, by version; what sched_setparam takes */
struct sched_param {
	int sched_priority;
};

/* include/linux/fs.h */
struct file_handle {
	__u32 handle_bytes;
	int handle_type;
	unsigned char f_handle[];
};

/* include/linux/types.h */
struct ustat {
	__kernel_daddr_t f_tfree;
	unsigned long f_tinode;
	char f_fname[6];
	char f_fpack[6];
};

/* fs/readdir.c: getdents, with the type in the byte before the next record */
struct linux_dirent {
	unsigned long d_ino;
	unsigned long d_off;
	unsigned short d_reclen;
	char d_name[];
};

/* include/linux/dirent.h */
struct linux_dirent64 {
	__u64 d_ino;
	__s64 d_off;
	unsigned short d_reclen;
	unsigned char d_type;
	char d_name[];
};

/* include/linux/signal_types.h: struct sigaction and the k_sigaction around it. The kernel's signal
 * set has 64 bits on every ABI; on arm64 the uapi header has sa_restorer too. The flat name is
 * k_sigaction because uapi's struct sigaction on i386 is the one of the old call. */
struct k_sigaction {
	void *sa_handler;
	unsigned long sa_flags;
	void *sa_restorer;
	__u32 sa_mask[2];
};

/* include/linux/compat.h, include/linux/signal_types.h: sigaction, of i386 */
struct old_sigaction {
	void *sa_handler;
	unsigned long sa_mask;
	unsigned long sa_flags;
	void *sa_restorer;
};

/* fs/select.c: what pselect6's last argument points to */
struct sigset_argpack {
	const void *p;
	__kernel_size_t size;
};

/* fs/aio.c: what io_pgetevents' last argument points to */
struct __aio_sigset {
	const void *sigmask;
	__kernel_size_t sigsetsize;
};

/* fs/select.c: i386's first select */
struct sel_arg_struct {
	unsigned long n;
	void *inp, *outp, *exp;
	void *tvp;
};

/* mm/mmap.c: i386's first mmap */
struct mmap_arg_struct {
	unsigned long addr;
	unsigned long len;
	unsigned long prot;
	unsigned long flags;
	unsigned long fd;
	unsigned long offset;
};

/* include/linux/getcpu.h */
struct getcpu_cache {
	unsigned long blob[128 / sizeof(long)];
};

/* include/vdso/time32.h, include/linux/time32.h */
struct old_timespec32 {
	__s32 tv_sec;
	__s32 tv_nsec;
};

struct old_timeval32 {
	__s32 tv_sec;
	__s32 tv_usec;
};

struct old_itimerspec32 {
	struct old_timespec32 it_interval;
	struct old_timespec32 it_value;
};

struct old_utimbuf32 {
	__s32 actime;
	__s32 modtime;
};

struct old_timex32 {
	__u32 modes;
	__s32 offset;
	__s32 freq;
	__s32 maxerror;
	__s32 esterror;
	__s32 status;
	__s32 constant;
	__s32 precision;
	__s32 tolerance;
	struct old_timeval32 time;
	__s32 tick;
	__s32 ppsfreq;
	__s32 jitter;
	__s32 shift;
	__s32 stabil;
	__s32 jitcnt;
	__s32 calcnt;
	__s32 errcnt;
	__s32 stbcnt;
	__s32 tai;
	int : 32; int : 32; int : 32; int : 32;
	int : 32; int : 32; int : 32; int : 32;
	int : 32; int : 32; int : 32;
};

/* arch/x86/include/asm/user_64.h, user_32.h: PTRACE_GETREGS */
#if defined(__x86_64__)
struct user_regs_struct {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
	unsigned long orig_ax, ip, cs, flags, sp, ss, fs_base, gs_base, ds, es, fs, gs;
};
#elif defined(__i386__)
struct user_regs_struct {
	unsigned long bx, cx, dx, si, di, bp, ax, ds, es, fs, gs;
	unsigned long orig_ax, ip, cs, flags, sp, ss;
};
#endif

/* The C library's names of access modes; the kernel calls them MAY_READ and so on (include/linux/fs.h). */
#define F_OK 0
#define X_OK 1
#define W_OK 2
#define R_OK 4

/* The argument of GPIO_GET_LINEINFO_UNWATCH_IOCTL: Documentation/userspace-api/gpio/gpio-get-lineinfo-unwatch-ioctl.rst */
struct gpio_line_offset { unsigned int offset; };
