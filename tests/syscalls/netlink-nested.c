// stride: -e trace=sendto -s 64 -a1
// Nested attributes of links, bridges and sockets in netlink messages. The messages ask for nothing.
#define _GNU_SOURCE
#include <linux/cryptouser.h>
#include <linux/genetlink.h>
#include <linux/if_bridge.h>
#include <linux/if_link.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static char message[512];
static struct nlmsghdr *h = (void *) message;

static void begin(int type, const void *head, int len)
{
	memset(message, 0, sizeof(message));
	*h = (struct nlmsghdr) { NLMSG_LENGTH(len), type, 0, 1, 0 };
	memcpy(NLMSG_DATA(h), head, len);
}

/* Appends an attribute, and returns where its header is. */
static struct nlattr *put(int type, const void *data, int len)
{
	struct nlattr *a = (void *) (message + NLMSG_ALIGN(h->nlmsg_len));
	*a = (struct nlattr) { NLA_HDRLEN + len, type };
	memcpy(a + 1, data, len);
	h->nlmsg_len = NLMSG_ALIGN(h->nlmsg_len) + a->nla_len;
	return a;
}

/* Ends an attribute in which others are nested. */
static void end(struct nlattr *outer)
{
	outer->nla_len = message + h->nlmsg_len - (char *) outer;
}

static void try(int fd, const char *flags, const char *type, const char *shown)
{
	long r = sendto(fd, message, h->nlmsg_len, MSG_DONTWAIT, NULL, 0);
	printf("sendto(%d, [{nlmsg_len=%u, nlmsg_type=%s, nlmsg_flags=%s, nlmsg_seq=1, nlmsg_pid=0}, %s], %u, MSG_DONTWAIT, NULL, 0) = %ld\n",
	       fd, h->nlmsg_len, type, flags, shown, h->nlmsg_len, r);
}

#define LINK(family) \
	"{ifi_family=" family ", ifi_type=ARPHRD_NETROM, ifi_index=0, ifi_flags=0, ifi_change=0}, "

int main(void)
{
	int route = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), diag = socket(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG);
	struct sockaddr_nl any = { .nl_family = AF_NETLINK };
	/* Until it is bound, a socket is not in the list from which its protocol is learned. */
	if (route < 0 || diag < 0 || bind(route, (void *) &any, sizeof(any)) || bind(diag, (void *) &any, sizeof(any))) {
		fprintf(stderr, "skip: no netlink here\n");
		return 77;
	}
	struct ifinfomsg link = {}, bridge = { .ifi_family = AF_BRIDGE };
	unsigned long long ticks = 1500;
	unsigned char one = 1, mac[6] = { 1, 0x80, 0xc2, 0, 0, 0 };
	unsigned short vlan = 0x0081;
	chdir("MARKER");

	/* Without NLM_F_REQUEST, the kernel ignores a message. */
	begin(RTM_NEWLINK, &link, sizeof(link));
	struct nlattr *info = put(IFLA_LINKINFO, NULL, 0);
	put(IFLA_INFO_KIND, "bridge", 7);
	struct nlattr *data = put(IFLA_INFO_DATA, NULL, 0);
	put(IFLA_BR_FORWARD_DELAY, &ticks, 8);
	put(IFLA_BR_VLAN_FILTERING, &one, 1);
	put(IFLA_BR_VLAN_PROTOCOL, &vlan, 2);
	put(IFLA_BR_GROUP_ADDR, mac, 6);
	end(data);
	end(info);
	try(route, "0", "RTM_NEWLINK", LINK("AF_UNSPEC") "[{nla_len=58, nla_type=IFLA_LINKINFO}, "
	    "[[{nla_len=11, nla_type=IFLA_INFO_KIND}, \"bridge\"], [{nla_len=42, nla_type=IFLA_INFO_DATA}, "
	    "[[{nla_len=12, nla_type=IFLA_BR_FORWARD_DELAY}, 1500 /* 15.00 s */], [{nla_len=5, nla_type=IFLA_BR_VLAN_FILTERING}, 1], "
	    "[{nla_len=6, nla_type=IFLA_BR_VLAN_PROTOCOL}, htons(ETH_P_8021Q)], "
	    "[{nla_len=10, nla_type=IFLA_BR_GROUP_ADDR}, 01:80:c2:00:00:00]]]]]");

	begin(RTM_NEWLINK, &link, sizeof(link));
	info = put(IFLA_LINKINFO, NULL, 0);
	put(IFLA_INFO_KIND, "veth", 5);
	put(IFLA_INFO_DATA, "abcd", 4);
	end(info);
	try(route, "0", "RTM_NEWLINK", LINK("AF_UNSPEC") "[{nla_len=24, nla_type=IFLA_LINKINFO}, "
	    "[[{nla_len=9, nla_type=IFLA_INFO_KIND}, \"veth\"], [{nla_len=8, nla_type=IFLA_INFO_DATA}, \"\\x61\\x62\\x63\\x64\"]]]");

	begin(RTM_SETLINK, &bridge, sizeof(bridge));
	struct bridge_vlan_info vids = { BRIDGE_VLAN_INFO_PVID, 10 };
	struct nlattr *spec = put(IFLA_AF_SPEC, NULL, 0);
	put(IFLA_BRIDGE_VLAN_INFO, &vids, sizeof(vids));
	end(spec);
	struct nlattr *port = put(IFLA_PROTINFO, NULL, 0);
	put(IFLA_BRPORT_STATE, &one, 1);
	end(port);
	try(route, "0", "RTM_SETLINK", LINK("AF_BRIDGE") "[[{nla_len=12, nla_type=IFLA_AF_SPEC}, "
	    "[{nla_len=8, nla_type=IFLA_BRIDGE_VLAN_INFO}, {flags=BRIDGE_VLAN_INFO_PVID, vid=10}]], "
	    "[{nla_len=9, nla_type=IFLA_PROTINFO}, [{nla_len=5, nla_type=IFLA_BRPORT_STATE}, 1]]]");

	begin(RTM_SETLINK, &link, sizeof(link));
	struct ifla_vf_rate rate = { 3, 10, 20 };
	struct nlattr *list = put(IFLA_VFINFO_LIST, NULL, 0), *vf = put(IFLA_VF_INFO, NULL, 0);
	put(IFLA_VF_RATE, &rate, sizeof(rate));
	end(vf);
	end(list);
	unsigned flags6 = 0x80000000;
	spec = put(IFLA_AF_SPEC, NULL, 0);
	struct nlattr *inet6 = put(AF_INET6, NULL, 0);
	put(IFLA_INET6_FLAGS, &flags6, 4);
	end(inet6);
	end(spec);
	try(route, "0", "RTM_SETLINK", LINK("AF_UNSPEC") "[[{nla_len=24, nla_type=IFLA_VFINFO_LIST}, [{nla_len=20, nla_type=IFLA_VF_INFO}, "
	    "[{nla_len=16, nla_type=IFLA_VF_RATE}, {vf=3, min_tx_rate=10, max_tx_rate=20}]]], "
	    "[{nla_len=16, nla_type=IFLA_AF_SPEC}, [{nla_len=12, nla_type=AF_INET6}, [{nla_len=8, nla_type=IFLA_INET6_FLAGS}, IF_READY]]]]");

	/* A filter for sockets: those of port 80 */
	struct inet_diag_req_v2 request = { AF_INET, 6, 0, 0, 1 << 10 };
	struct { struct inet_diag_bc_op op; struct inet_diag_hostcond host; unsigned char addr[4]; } only = {
		{ INET_DIAG_BC_D_COND, 16, 20 }, { AF_INET, 32, 80 }, { 127, 0, 0, 1 }
	};
	begin(SOCK_DIAG_BY_FAMILY, &request, sizeof(request));
	h->nlmsg_flags = NLM_F_REQUEST;
	put(INET_DIAG_REQ_BYTECODE, &only, sizeof(only));
	try(diag, "NLM_F_REQUEST", "SOCK_DIAG_BY_FAMILY", "{sdiag_family=AF_INET, sdiag_protocol=IPPROTO_TCP, idiag_ext=0, "
	    "idiag_states=1<<TCP_LISTEN, id={idiag_sport=htons(0), idiag_dport=htons(0), idiag_src=inet_addr(\"0.0.0.0\"), "
	    "idiag_dst=inet_addr(\"0.0.0.0\"), idiag_if=0, idiag_cookie=[0, 0]}}, "
	    "[{nla_len=20, nla_type=INET_DIAG_REQ_BYTECODE}, {code=INET_DIAG_BC_D_COND, yes=16, no=20}, "
	    "{family=AF_INET, prefix_len=32, port=80, addr=inet_addr(\"127.0.0.1\")}]");
	/* Commands of families, and the policies of their attributes. The kernel refuses the requests. */
	int generic = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	if (generic >= 0 && !bind(generic, (void *) &any, sizeof(any))) {
		struct genlmsghdr get = { CTRL_CMD_GETFAMILY, 2 };
		int command = 1, unknown = 99, kind = 4, mask = 3;
		long long least = -5;

		begin(GENL_ID_CTRL, &get, sizeof(get));
		put(CTRL_ATTR_FAMILY_NAME, "tcp_metrics", 12);
		struct nlattr *ops = put(CTRL_ATTR_OPS, "", 0), *op = put(1, "", 0);
		put(CTRL_ATTR_OP_ID, &command, 4);
		end(op);
		op = put(2, "", 0);
		put(CTRL_ATTR_OP_ID, &unknown, 4);
		end(op);
		end(ops);
		try(generic, "0", "nlctrl",
		    "{cmd=CTRL_CMD_GETFAMILY, version=2}, [[{nla_len=16, nla_type=CTRL_ATTR_FAMILY_NAME}, \"tcp_metrics\"], "
		    "[{nla_len=28, nla_type=CTRL_ATTR_OPS}, [[{nla_len=12, nla_type=0x1}, [{nla_len=8, nla_type=CTRL_ATTR_OP_ID}, TCP_METRICS_CMD_GET]], "
		    "[{nla_len=12, nla_type=0x2}, [{nla_len=8, nla_type=CTRL_ATTR_OP_ID}, 0x63 /* TCP_METRICS_CMD_??? */]]]]]");

		begin(GENL_ID_CTRL, &get, sizeof(get));
		struct nlattr *policies = put(NLA_F_NESTED | 8, "", 0), *policy = put(0, "", 0), *attribute = put(3, "", 0);
		put(1, &kind, 4);
		put(2, &least, 8);
		put(10, &mask, 4);
		end(attribute);
		end(policy);
		end(policies);
		try(generic, "0", "nlctrl",
		    "{cmd=CTRL_CMD_GETFAMILY, version=2}, [{nla_len=40, nla_type=NLA_F_NESTED|CTRL_ATTR_POLICY}, [{nla_len=36, nla_type=0}, "
		    "[{nla_len=32, nla_type=0x3}, [[{nla_len=8, nla_type=NL_POLICY_TYPE_ATTR_TYPE}, NL_ATTR_TYPE_U32], "
		    "[{nla_len=12, nla_type=NL_POLICY_TYPE_ATTR_MIN_VALUE_S}, -5], [{nla_len=8, nla_type=NL_POLICY_TYPE_ATTR_BITFIELD32_MASK}, 0x3]]]]]");
	}
	fflush(stdout);
	_exit(0);
}
