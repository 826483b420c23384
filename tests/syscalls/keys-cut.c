// stride: -e trace=keyctl -a1 -s1
// The bytes of the key service's features are limited like other bytes.
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *const NAMES[] = {
	"CAPABILITIES", "PERSISTENT_KEYRINGS", "DIFFIE_HELLMAN", "PUBLIC_KEY", "BIG_KEY", "INVALIDATE", "RESTRICT_KEYRING", "MOVE"
};

int main(void)
{
	unsigned char features[2] = "";
	chdir("MARKER");
	long all = syscall(SYS_keyctl, 31, features, sizeof features);
	printf("keyctl(KEYCTL_CAPABILITIES, [");
	for (int bit = 0, first = 1; bit < 8; bit++)
		if (features[0] >> bit & 1) {
			printf("%sKEYCTL_CAPS0_%s", first ? "" : "|", NAMES[bit]);
			first = 0;
		}
	printf(", ...], 2) = %ld\n", all);
	return 0;
}
