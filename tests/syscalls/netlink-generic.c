// stride: -e trace=sendto -a1
// Families of generic netlink have the numbers that the kernel gave them. The socket is not bound before its first message.
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct message { struct nlmsghdr h; struct genlmsghdr g; };

static char answer[1 << 16], name[GENL_NAMSIZ];

/* Some family besides the one that tells of families. */
static unsigned some_family(void)
{
	struct message dump = { { sizeof(dump), GENL_ID_CTRL, NLM_F_REQUEST | NLM_F_DUMP }, { CTRL_CMD_GETFAMILY, 1 } };
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC), family = 0;

	send(fd, &dump, sizeof(dump), 0);
	while (!family) {
		int left = recv(fd, answer, sizeof(answer), 0);
		struct nlmsghdr *h = (void *) answer;

		if (left <= 0 || h->nlmsg_type != GENL_ID_CTRL)
			break;
		for (; NLMSG_OK(h, left) && !family; h = NLMSG_NEXT(h, left)) {
			int id = 0;

			for (char *at = (char *) h + sizeof(dump); at < (char *) h + h->nlmsg_len;) {
				struct nlattr *a = (void *) at;

				if (a->nla_type == CTRL_ATTR_FAMILY_ID)
					id = *(unsigned short *) (a + 1);
				if (a->nla_type == CTRL_ATTR_FAMILY_NAME)
					strcpy(name, (char *) (a + 1));
				at += NLA_ALIGN(a->nla_len);
			}
			family = id != GENL_ID_CTRL ? id : 0;
		}
	}
	close(fd);
	return family;
}

int main(void)
{
	struct message message = { { sizeof(message), 0, NLM_F_REQUEST, 7, 0 }, { 0xff, 1 } };
	unsigned family = some_family();
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC), route = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);

	if (!family || route < 0) {
		fprintf(stderr, "skip: no families of generic netlink\n");
		return 77;
	}
	chdir("MARKER");

	message.h.nlmsg_type = family;
	sendto(fd, &message, sizeof(message), 0, NULL, 0);
	printf("sendto(%d, [{nlmsg_len=20, nlmsg_type=%s, nlmsg_flags=NLM_F_REQUEST, nlmsg_seq=7, nlmsg_pid=0}, {cmd=0xff, version=1}], 20, 0, NULL, 0) = 20\n",
	       fd, name);
	message.h.nlmsg_type = GENL_ID_CTRL;
	message.g.cmd = CTRL_CMD_GETFAMILY;
	sendto(fd, &message, sizeof(message), 0, NULL, 0);
	printf("sendto(%d, [{nlmsg_len=20, nlmsg_type=nlctrl, nlmsg_flags=NLM_F_REQUEST, nlmsg_seq=7, nlmsg_pid=0}, {cmd=CTRL_CMD_GETFAMILY, version=1}], 20, 0, NULL, 0) = 20\n",
	       fd);
	message.h.nlmsg_type = 0xffff;
	sendto(fd, &message, sizeof(message), 0, NULL, 0);
	printf("sendto(%d, [{nlmsg_len=20, nlmsg_type=0xffff /* GENERIC_FAMILY_??? */, nlmsg_flags=NLM_F_REQUEST, nlmsg_seq=7, nlmsg_pid=0}, {cmd=0x3, version=1}], 20, 0, NULL, 0) = 20\n",
	       fd);
	/* The number of this protocol is 0. */
	struct nlmsghdr done = { sizeof(done), NLMSG_DONE };
	sendto(route, &done, sizeof(done), 0, NULL, 0);
	printf("sendto(%d, {nlmsg_len=16, nlmsg_type=NLMSG_DONE, nlmsg_flags=0, nlmsg_seq=0, nlmsg_pid=0}, 16, 0, NULL, 0) = 16\n", route);
	fflush(stdout);
	_exit(0);
}
