/* Calls functions of library.c, and prints the lines that Stride must show. The first argument names the scene. */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int (*add)(int, int);
static long (*many)(char, short, int, long, unsigned, const char *, long, int);
static const char *(*greet)(const char *, double);
static int (*twice)(int (*)(int, int), int);
static void (*nothing)(unsigned char, void *);

static void load(void)
{
	void *library = dlopen("./library.so", RTLD_NOW);

	if (!library) {
		puts(dlerror());
		exit(2);
	}
	add = dlsym(library, "add");
	many = dlsym(library, "many");
	greet = dlsym(library, "greet");
	twice = dlsym(library, "twice");
	nothing = dlsym(library, "nothing");
}

static jmp_buf back;

__attribute__((noinline)) int deep(int n)
{
	if (!n)
		longjmp(back, 1);
	return deep(n - 1) + 1;
}

__attribute__((noinline)) void *leaves(void *with)
{
	pthread_exit(with);
}

static void calls(void)
{
	int n = 4711;

	printf("library:add(2, -3) = %d\n", add(2, -3));
	printf("library:many(97, -2, 3, -4, 5, \"six\\n\", 7, -8) = %ld\n", many('a', -2, 3, -4, 5, "six\n", 7, -8));
	printf("library:greet(\"world\", ?) = \"%s\"\n", greet("world", 2));
	printf("library:greet(NULL, ?) = %s\n", greet(NULL, 0) ? "?" : "NULL");
	printf("library:twice(%p, 21 <unfinished ...>\n", (void *)add);
	printf("  library:add(21, 21) = 42\n");
	printf("<... library:twice resumed>) = %d\n", twice(add, 21));
	nothing(200, &n);
	printf("library:nothing(200, %p) = void\n", (void *)&n);
	nothing(0, NULL);
	printf("library:nothing(0, NULL) = void\n");
}

__attribute__((noinline)) void between(void)
{
	add(1, 2);
	write(1, "between\n", 8);
	add(3, 4);
}

__attribute__((noinline)) void leave(void)
{
	pthread_t thread;
	void *with;

	if (!setjmp(back))
		deep(2);
	add(1, 1);
	pthread_create(&thread, NULL, leaves, (void *)5);
	pthread_join(thread, &with);
	if (with != (void *)5)
		exit(3);
	if (!fork())
		_exit(add(2, 2));
	wait(NULL);
	puts("left");
}

/* A USDT probe as sys/sdt.h makes it. */
unsigned short semaphore __attribute__((section(".probes"), used));
#define PROBE(name, number, text)                                                                                     \
	asm volatile("990: nop\n"                                                                                     \
		     ".pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n.4byte 992f-991f, 994f-993f, 3\n"          \
		     "991: .asciz \"stapsdt\"\n992: .balign 4\n"                                                      \
		     "993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte semaphore\n"                                    \
		     ".asciz \"user\"\n.asciz \"" name "\"\n.asciz \"-4@%0 8@%1\"\n994: .balign 4\n.popsection\n"     \
		     ".ifndef _.stapsdt.base\n"                                                                       \
		     ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"                          \
		     ".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n"                       \
		     ".size _.stapsdt.base, 1\n.popsection\n.endif"                                                   \
		     :: "nor"(number), "nor"(text))

static void probes(void)
{
	const char *text = getenv("TEXT");
	int n = -42;

	asm volatile("" : "+r"(n));
	PROBE("first", n, text);
	PROBE("second", 7, text);
	printf("%s\n", *(volatile unsigned short *)&semaphore ? "watched" : "alone");
}

static void wanted(int signal)
{
}

int main(int argc, char **argv)
{
	const char *scene = argc > 1 ? argv[1] : "";

	setvbuf(stdout, NULL, _IONBF, 0);
	if (strcmp(scene, "probes"))
		load();
	if (!strcmp(scene, "calls"))
		calls();
	else if (!strcmp(scene, "between"))
		between();
	else if (!strcmp(scene, "leave"))
		leave();
	else if (!strcmp(scene, "probes"))
		probes();
	else if (!strcmp(scene, "wait")) {
		signal(SIGUSR1, wanted);
		puts("ready");
		pause();
		return add(40, 2) != 42;
	}
	return 0;
}
