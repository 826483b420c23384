// kinds: nospace
// finds: lost _start write error=ENOSPC
// The text is written when the program exits, and nobody looks whether that succeeds.
#include <stdio.h>

int main(void) {
    printf("all that matters\n");
#ifdef RIGHT
    if (fflush(stdout)) {
        perror("stdout");
        return 1;
    }
#endif
    return 0;
}
