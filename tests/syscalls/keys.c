// stride: -e trace=add_key,request_key,keyctl,landlock_create_ruleset,landlock_add_rule -a1
// Keys by serial number and by the names of keyrings. The operation of keyctl decides its arguments.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "result.h"

int main(void)
{
	uint64_t ruleset[2] = { 5, 1 };
	struct { uint64_t access; int32_t fd; } __attribute__((packed)) rule = { 1, -1 };

	chdir("MARKER");

	syscall(SYS_add_key, "nosuchtype", "name", "secret", 6L, -3);
	puts("add_key(\"nosuchtype\", \"name\", \"secret\", 6, KEY_SPEC_SESSION_KEYRING) = -1 ENODEV (No such device)");
	syscall(SYS_request_key, "nosuchtype", "name", NULL, 0);
	puts("request_key(\"nosuchtype\", \"name\", NULL, 0) = -1 ENOKEY (Required key not available)");
	syscall(SYS_keyctl, 3, 0x7ffffff1L);
	puts("keyctl(KEYCTL_REVOKE, 2147483633) = -1 ENOKEY (Required key not available)");
	syscall(SYS_keyctl, 5, 0x7ffffff1L, 0x3f010000L);
	puts("keyctl(KEYCTL_SETPERM, 2147483633, KEY_POS_VIEW|KEY_POS_READ|KEY_POS_WRITE|KEY_POS_SEARCH|KEY_POS_LINK|"
	     "KEY_POS_SETATTR|KEY_USR_VIEW) = -1 ENOKEY (Required key not available)");
	syscall(SYS_keyctl, 0xfff, 1L, 2L, 3L, 0L);
	puts("keyctl(0xfff /* KEYCTL_??? */, 0x1, 0x2, 0x3, 0) = -1 EOPNOTSUPP (Operation not supported)");
	// (Linux 5.10 has neither of these.)
	long r = syscall(SYS_landlock_create_ruleset, ruleset, 16L, 0x80);
	printf("landlock_create_ruleset({handled_access_fs=LANDLOCK_ACCESS_FS_EXECUTE|LANDLOCK_ACCESS_FS_READ_FILE, "
	     "handled_access_net=LANDLOCK_ACCESS_NET_BIND_TCP}, 16, 0x80 /* LANDLOCK_CREATE_RULESET_??? */) = %s\n", result(r));
	r = syscall(SYS_landlock_add_rule, -1, 1, &rule, 0);
	printf("landlock_add_rule(-1, LANDLOCK_RULE_PATH_BENEATH, {allowed_access=LANDLOCK_ACCESS_FS_EXECUTE, parent_fd=-1}, 0) = %s\n",
	     result(r));
	fflush(stdout);
	_exit(0);
}
