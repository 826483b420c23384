// A process of another PID namespace names ids of each kind. Its process group is that of another process, so that the
// kinds have different numbers. It prints what Stride must show, and is gone at once.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/kcmp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef PR_SCHED_CORE
# define PR_SCHED_CORE 62
#endif

static void member(int outer[2]) {
    int leader = outer[0], me = outer[1];
    int fd = open("/dev/null", O_RDONLY);
    int own = getpid(), group = getpgrp();
    struct { int type, pid; } owner = { 2 /* F_OWNER_PGRP */, group };
    fcntl(fd, 15 /* F_SETOWN_EX */, &owner);
    printf("fcntl(%d</dev/null>, F_SETOWN_EX, {type=F_OWNER_PGRP, pid=%d /* %d in strace's PID NS */})\n", fd, group, leader);
    owner.type = 0;
    owner.pid = own;
    fcntl(fd, 15, &owner);
    printf("fcntl(%d</dev/null>, F_SETOWN_EX, {type=F_OWNER_TID, pid=%d /* %d in strace's PID NS */})\n", fd, own, me);
    prctl(PR_SCHED_CORE, 0, group, 2, 0);
    printf("prctl(PR_SCHED_CORE, PR_SCHED_CORE_GET, %d /* %d in strace's PID NS */, 0x2 /* PIDTYPE_PGID */, NULL)\n", group, leader);
    syscall(SYS_kcmp, own, own, KCMP_FILE, fd, fd);
    printf("kcmp(%d /* %d in strace's PID NS */, %d /* %d in strace's PID NS */, KCMP_FILE, %d</dev/null>, %d</dev/null>)\n",
        own, me, own, me, fd, fd);
    getpriority(PRIO_PGRP, group);
    printf("getpriority(PRIO_PGRP, %d /* %d in strace's PID NS */)\n", group, leader);
    fflush(stdout);
}

int main(void) {
    int go[2], outer[2], status;
    alarm(120);
    if (pipe(go) || unshare(CLONE_NEWPID)) return 77;
    // The first process of a namespace takes all others of it along.
    int init = fork();
    if (!init) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) pause();
    }
    if (!(outer[0] = fork())) for (;;) pause();
    setpgid(outer[0], outer[0]);
    if (!(outer[1] = fork())) {
        int ids[2];
        if (read(go[0], ids, sizeof ids) == sizeof ids) member(ids);
        _exit(0);
    }
    setpgid(outer[1], outer[0]);
    write(go[1], outer, sizeof outer);
    waitpid(outer[1], &status, 0);
    kill(init, SIGKILL);
    return 0;
}
