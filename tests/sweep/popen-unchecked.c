// finds: crash ask pipe2 error=EMFILE
// A program cannot be started, and its answer is read all the same.
#include <stdio.h>

__attribute__((noinline)) static int ask(char *answer, int size) {
    FILE *program = popen("cat input", "r");
#ifdef RIGHT
    if (!program) {
        perror("cat");
        return 1;
    }
#endif
    char *line = fgets(answer, size, program);
    int status = pclose(program);
    if (!line || status) {
        fprintf(stderr, "no answer\n");
        return 1;
    }
    return 0;
}

int main(void) {
    char answer[64];
    int failed = ask(answer, sizeof answer);
    return failed;
}
