/* SPDX-License-Identifier: GPL-2.0-only */
/* Do we read the kernel's listeners as they are, and hostile bytes not at all? */
#include "base/banned.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "sources/net/listener_table.h"
#include "capture/capture.h"
#include "capture/sockdiag.h"
#include "sources/common/program_line.h"
#include "sources/net/socket_owner.h"
#include "sample/source.h"
#include "base/str.h"
#include "tap.h"
#include "base/culprit.h"

#define SEQUENCE 7

static void add_attribute(struct str *out, uint16_t type, const void *data, size_t len)
{
	struct rtattr head = {.rta_len = (uint16_t)RTA_LENGTH(len), .rta_type = type};

	str_addn(out, &head, sizeof(head));
	str_addn(out, data, len);
	str_addn(out, "\0\0\0", RTA_ALIGN(len) - len);
}

static void add_message(struct str *out, uint16_t type, const void *data, size_t len)
{
	struct nlmsghdr head = {.nlmsg_len = (uint32_t)NLMSG_LENGTH(len),
		.nlmsg_type = type,
		.nlmsg_seq = SEQUENCE};

	str_addn(out, &head, sizeof(head));
	str_addn(out, data, len);
	str_addn(out, "\0\0\0", NLMSG_ALIGN(len) - len);
}

static void add_inet(struct str *out, uint8_t state, uint32_t drops)
{
	uint32_t memory[SK_MEMINFO_VARS] = {[SK_MEMINFO_DROPS] = drops};
	struct inet_diag_msg message = {.idiag_family = AF_INET,
		.idiag_state = state,
		.id.idiag_sport = htons(3000),
		.idiag_rqueue = 5,
		.idiag_wqueue = 4,
		.idiag_uid = 33,
		.idiag_inode = 4711};
	struct str body = STR_INIT;

	str_addn(&body, &message, sizeof(message));
	add_attribute(&body, INET_DIAG_SHUTDOWN, "", 1);
	add_attribute(&body, INET_DIAG_SKMEMINFO, memory, sizeof(memory));
	add_message(out, SOCK_DIAG_BY_FAMILY, body.text, body.len);
	str_free(&body);
}

static void add_unix(struct str *out, const char *name, size_t len)
{
	struct unix_diag_msg message = {
		.udiag_family = AF_UNIX, .udiag_state = TCP_LISTEN, .udiag_ino = 9};
	uint32_t queue[2] = {3, 2};
	struct str body = STR_INIT;

	str_addn(&body, &message, sizeof(message));
	add_attribute(&body, UNIX_DIAG_NAME, name, len);
	add_attribute(&body, UNIX_DIAG_RQLEN, queue, sizeof(queue));
	add_message(out, SOCK_DIAG_BY_FAMILY, body.text, body.len);
	str_free(&body);
}

/* What was found, as the lines of a recording. */
static void found(void *arg, const struct sock_listener *listener)
{
	listeners_write(arg, "", listener);
}

static int parse(const struct str *datagram, enum sockdiag_kind kind, struct str *lines)
{
	str_clear(lines);
	return sockdiag_parse(datagram->text, datagram->len, kind, SEQUENCE, found, lines);
}

static void test_inet_datagrams(void)
{
	struct str datagram = STR_INIT, lines = STR_INIT;

	add_inet(&datagram, TCP_LISTEN, 212);
	add_inet(&datagram, TCP_ESTABLISHED, 0);
	ok(parse(&datagram, SOCKDIAG_TCP4, &lines) == 0, "an answer without an end goes on");
	ok(!strcmp(str_text(&lines), "0.0.0.0:3000 5 4 4711 33 212\n"),
		"only the listener is found, with its drops");
	add_message(&datagram, NLMSG_DONE, "\0\0\0", 4);
	ok(parse(&datagram, SOCKDIAG_TCP4, &lines) == 1, "the end of the answer is seen");
	ok(sockdiag_parse(
		   datagram.text, datagram.len, SOCKDIAG_TCP4, SEQUENCE + 1, found, &lines) == 0,
		"the end of another question's answer is not ours");
	str_free(&datagram);
	str_free(&lines);
}

static void test_broken_datagrams(void)
{
	struct str datagram = STR_INIT, lines = STR_INIT;
	size_t len, whole, bad = 0;
	int refused = -ENOENT;

	add_inet(&datagram, TCP_LISTEN, 1);
	whole = datagram.len;
	for (len = 1; len < whole; len++) {
		datagram.len = len;
		bad += parse(&datagram, SOCKDIAG_TCP4, &lines) != -EBADMSG || lines.len;
	}
	ok(bad == 0, "a datagram cut anywhere is refused, and gives no listener");
	str_clear(&datagram);
	add_message(&datagram, NLMSG_ERROR, &refused, sizeof(refused));
	ok(parse(&datagram, SOCKDIAG_TCP4, &lines) == -ENOENT,
		"the kernel's refusal comes through");
	str_clear(&datagram);
	add_message(&datagram, SOCK_DIAG_BY_FAMILY, "short", 5);
	ok(parse(&datagram, SOCKDIAG_TCP6, &lines) == -EBADMSG, "a message too short is refused");
	str_free(&datagram);
	str_free(&lines);
}

static void test_missing_drops(void)
{
	struct inet_diag_msg message = {
		.idiag_family = AF_INET6, .idiag_state = TCP_LISTEN, .id.idiag_sport = htons(80)};
	struct str datagram = STR_INIT, lines = STR_INIT;

	add_message(&datagram, SOCK_DIAG_BY_FAMILY, &message, sizeof(message));
	parse(&datagram, SOCKDIAG_TCP6, &lines);
	ok(!strcmp(str_text(&lines), "[::]:80 0 0 0 0 -\n"),
		"drops that the kernel did not send are no value, not 0");
	str_free(&datagram);
	str_free(&lines);
}

static void test_unix_datagrams(void)
{
	struct str datagram = STR_INIT, lines = STR_INIT;

	add_unix(&datagram, "/run/a b\n%.sock", 16);
	add_unix(&datagram, "\0app\0x", 6);
	parse(&datagram, SOCKDIAG_UNIX, &lines);
	ok(!strcmp(str_text(&lines),
		   "unix:/run/a%20b%0A%25.sock 3 2 9 - -\n"
		   "unix:@app@x 3 2 9 - -\n"),
		"Unix paths with blanks and newlines are one word, abstract names start with @");
	str_free(&datagram);
	str_free(&lines);
}

static void test_text(void)
{
	static const char text[] = "blue%200.0.0.0:80 5 4 10 33 7\nunix:/a%0A 1 2 11 - -\n"
				   "! no%20IPv6\n";
	struct listeners table = {0};

	if (!ok(!listeners_parse(&table, text, sizeof(text) - 1), "a recorded text is read"))
		return;
	ok(table.n == 2 && table.n_missing == 1 && !strcmp(table.missing[0], "no IPv6"),
		"it has its listeners and what was missing");
	ok(!strcmp(table.list[0].name, "blue 0.0.0.0:80") && table.list[0].backlog == 5 &&
			table.list[0].limit == 4 && table.list[0].inode == 10 &&
			table.list[0].uid == 33 && table.list[0].drops == 7,
		"every number is at its place");
	ok(!strcmp(table.list[1].name, "unix:/a\n") && !table.list[1].has_uid &&
			!table.list[1].has_drops,
		"a newline in a name comes back, and - is no value");
	listeners_free(&table);
}

static void test_hostile_text(void)
{
	static const char *const bad[] = {"0.0.0.0:80", "0.0.0.0:80 1 2 3 4 5", "\n",
		" 1 2 3 4 5\n", "a 1 2 3 4\n", "a 1 2 3 4 5 6\n", "a 1 2 3 4 5 \n",
		"a  1 2 3 4 5\n", "a - 2 3 4 5\n", "a 1 2 3 4 -5\n", "a 1 2 3 4 4294967296\n",
		"a 1 2 3 4 0x5\n", "a\t1 2 3 4 5\n", "a% 1 2 3 4 5\n", "a%4 1 2 3 4 5\n",
		"a%4G 1 2 3 4 5\n", "a%00 1 2 3 4 5\n", "a%2f 1 2 3 4 5\n", "! \n", "!\n",
		"! a b\n", "a 1 2 3 99999999999999999999 5\n", "ok 1 2 3 4 5\nbad\n",
		"a 1 2 3 4 +5\n"};
	struct listeners table = {0};
	struct str many = STR_INIT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		ok(listeners_parse(&table, bad[i], strlen(bad[i])) == -EBADMSG && !table.list,
			"hostile text %zu is refused whole", i);
	ok(listeners_parse(&table, "a 1 2 3 4 5\0\n", 13) == -EBADMSG, "so is a 0 in it");
	for (i = 0; i <= LISTENERS_MAX; i++)
		str_addf(&many, "a 1 2 %zu 4 5\n", i);
	ok(listeners_parse(&table, many.text, many.len) == -EBADMSG, "so are too many listeners");
	ok(!listeners_parse(&table, "", 0) && !table.n && !table.none,
		"a text of nothing does not say that nobody listens");
	ok(!listeners_parse(&table, ".\n", 2) && !table.n && table.none,
		"no listeners at all is an answer");
	str_free(&many);
}

static void numbered(struct listeners *now, const struct listeners *before, const char *text)
{
	*now = (struct listeners){0};
	listeners_parse(now, text, strlen(text));
	listeners_number(now, before);
}

static uint32_t inode_of(const struct listeners *table, const char *name)
{
	const struct listener *listener = listeners_find(table, name);

	return listener ? listener->inode : 0;
}

static void test_numbers(void)
{
	struct listeners a, b, c;

	numbered(&a, NULL,
		"x 0 1 12 0 0\nx 0 1 11 0 0\nxy 0 1 10 0 0\nx 0 1 13 0 0\nx 0 1 12 0 0\n");
	ok(a.n == 4, "a socket that the dump brought twice is there once");
	ok(inode_of(&a, "x") == 11 && inode_of(&a, "x#2") == 12 && inode_of(&a, "x#3") == 13 &&
			inode_of(&a, "xy") == 10,
		"sockets that share an address are numbered by inode");
	numbered(&b, &a, "x 0 1 13 0 0\nx 0 1 9 0 0\nx 0 1 12 0 0\nw 0 1 1 0 0\n");
	ok(inode_of(&b, "x#2") == 12 && inode_of(&b, "x#3") == 13,
		"those that stay keep their numbers when the first has gone");
	ok(inode_of(&b, "x") == 9, "a new one takes the lowest free number");
	numbered(&c, &b, "x 0 1 13 0 0\n");
	ok(inode_of(&c, "x#3") == 13 && c.n == 1, "also when only the last is left");
	listeners_free(&a);
	listeners_free(&b);
	listeners_free(&c);
}

/* A network of our own, so that no queue and no counter of the machine is touched. */
static bool own_network(void)
{
	struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int fd, result;

	if (unshare(CLONE_NEWNET) && unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return false;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	result = ioctl(fd, SIOCSIFFLAGS, &lo);
	close(fd);
	return !result;
}

/* A listener, and clients that nobody accepts. */
static int listen_and_connect(
	const struct sockaddr *address, socklen_t len, int backlog, int *clients, size_t n)
{
	struct sockaddr_storage bound = {0};
	socklen_t bound_len = sizeof(bound);
	size_t i;
	int fd;

	fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, address, len) || listen(fd, backlog) ||
		getsockname(fd, (struct sockaddr *)&bound, &bound_len))
		return -1;
	for (i = 0; i < n; i++) {
		clients[i] =
			socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		/* Those in excess fail or wait; the kernel's numbers say so. */
		if (connect(clients[i], (struct sockaddr *)&bound, bound_len))
			continue;
	}
	return fd;
}

static void close_all(int *fds, size_t n)
{
	while (n--)
		close(fds[n]);
}

static void test_owner(uint32_t inode)
{
	struct culprit culprit = {0};
	struct capture *fs;
	struct stat st = {0};
	uint64_t now_ns;
	char pid[16];
	int other;

	snprintf(pid, sizeof(pid), "%d", getpid());
	if (!ok(!capture_open(&fs, "/", NULL), "this machine's files can be read"))
		return;
	ok(sockowner_find(fs, inode, &culprit) && !strcmp(culprit.id, pid) &&
			!strcmp(culprit.kind, "process") && !strcmp(culprit.name, "listen.t"),
		"the listener's owner is this test");
	ok(!sockowner_find(fs, 0, &culprit), "a socket without an inode has no owner");
	other = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ok(other >= 0 && !fstat(other, &st), "there is another socket");
	/* The first sample is also the time before it. */
	capture_next_sample(fs, &now_ns);
	capture_next_sample(fs, &now_ns);
	ok(sockowner_find(fs, (uint32_t)st.st_ino, &culprit) && !strcmp(culprit.id, pid) &&
			sockowner_find(fs, inode, &culprit) && !strcmp(culprit.id, pid),
		"a second one is found in the walk that found the first, and what is new in the "
		"next");
	close(other);
	capture_close(fs);
}

static void test_tcp_overflow(int diag)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons(3999),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct listeners table = {0};
	struct str lines = STR_INIT;
	const struct listener *listener;
	struct stat status = {0};
	int clients[7], fd;

	fd = listen_and_connect((struct sockaddr *)&address, sizeof(address), 4, clients, 7);
	fstat(fd, &status);
	ok(!sockdiag_listeners(diag, SOCKDIAG_TCP4, found, &lines), "the kernel answers");
	listeners_parse(&table, str_text(&lines), lines.len);
	listener = listeners_find(&table, "127.0.0.1:3999");
	if (ok(listener && table.n == 1, "the listener is found by its address")) {
		ok(listener->inode == status.st_ino, "its inode is the descriptor's");
		ok(listener->limit == 4 && listener->backlog == 5,
			"a full queue holds one more than its limit");
		ok(listener->has_drops && listener->drops >= 2,
			"what overflowed is counted in its own drops");
		test_owner(listener->inode);
	}
	close_all(clients, 7);
	close(fd);
	listeners_free(&table);
	str_free(&lines);
}

static void test_unix_overflow(int diag)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "\0tuesday test"};
	struct listeners table = {0};
	struct str lines = STR_INIT;
	const struct listener *listener;
	int clients[4], fd;

	fd = listen_and_connect((struct sockaddr *)&address,
		offsetof(struct sockaddr_un, sun_path) + 13, 1, clients, 4);
	ok(!sockdiag_listeners(diag, SOCKDIAG_UNIX, found, &lines) || !lines.len,
		"the kernel answers for Unix sockets, or says that it cannot");
	listeners_parse(&table, str_text(&lines), lines.len);
	listener = listeners_find(&table, "unix:@tuesday test");
	if (lines.len)
		ok(listener && listener->limit == 1 && listener->backlog == 2 &&
				!listener->has_drops,
			"a full Unix queue holds one more than its limit too");
	close_all(clients, 4);
	close(fd);
	listeners_free(&table);
	str_free(&lines);
}

static void test_live(void)
{
	int diag;

	if (!own_network()) {
		ok(true, "a queue overflows # SKIP no network namespace of our own");
		return;
	}
	diag = sockdiag_open();
	if (diag < 0) {
		ok(true, "a queue overflows # SKIP the kernel has no socket diagnosis");
		return;
	}
	test_tcp_overflow(diag);
	test_unix_overflow(diag);
	close(diag);
}

static bool is_puma(const char *line, size_t len)
{
	return programline_is(line, len, "puma");
}

#define LINE(text) text, sizeof(text)

/* The version of puma that a title has, or "". */
static const char *title_version(const char *line, size_t len)
{
	static char version[PROGRAM_VERSION_BYTES];

	return programline_version(line, len, "puma", version) ? version : "";
}

static const char *path_version(const char *path)
{
	static char version[PROGRAM_VERSION_BYTES];

	return programline_path_version(path, strlen(path), "puma", version) ? version : "";
}

static void test_program_versions(void)
{
	double five = programline_number("5.6.5"), seven = programline_number("7.1.0"),
	       nine = programline_number("7.9"), ten = programline_number("7.10");

	ok(!strcmp(title_version(LINE("puma 7.1.0 (tcp://127.0.0.1:3000) [shop]")), "7.1.0") &&
			!strcmp(title_version(LINE("puma 8.0.0.rc1")), "8.0.0.rc1"),
		"a title has its version");
	ok(!*title_version(LINE("puma: cluster worker 0: 812 [shop]")) &&
			!*title_version(LINE("puma\0005")) && !*title_version(LINE("puma ")) &&
			!*title_version(LINE("puma next (tcp://x)")) &&
			!*title_version(LINE("puma 7$(reboot)")) &&
			!*title_version(LINE("puma 7.1.0(tcp)")) &&
			!*title_version(LINE("puma 1234567890123456789012345678901234567890")),
		"and what is none is none: an argument, a word, a line too long");
	ok(!strcmp(path_version("/var/lib/gems/3.1.0/gems/puma-6.6.1/lib/puma"), "6.6.1") &&
			!strcmp(path_version("/ext/puma-7.1.0"), "7.1.0") &&
			!*path_version("/gems/puma-worker-6.1/x") && !*path_version("puma-") &&
			!*path_version("/usr/lib/ruby/puma/puma_http11.so"),
		"a path of a gem has it");
	ok(five < 7 && seven > 7 && seven < nine && nine < ten && ten < 8 &&
			isnan(programline_number("")) && isnan(programline_number("x")),
		"versions are numbers in their order");
}

static void test_program(void)
{
	ok(is_puma(LINE("puma 5.6.5 (tcp://127.0.0.1:3000) [shop]")) &&
			is_puma(LINE("puma: cluster worker 0: 812 [shop]")) &&
			is_puma(LINE("/usr/bin/ruby\0/usr/bin/puma\0-C")) &&
			is_puma(LINE("ruby\0bundle\0puma")) && is_puma("puma", 4),
		"a program by its title, its path and what started it");
	ok(!is_puma("", 0) && !is_puma(LINE("pumacontrol")) && !is_puma(LINE("/srv/puma/deaf")) &&
			!is_puma(LINE("nginx: puma")) && !is_puma(LINE("vi\0a\0b\0puma")) &&
			!is_puma(LINE("\0\0\0")) && !is_puma(LINE("/")) && !is_puma("pum", 3),
		"what only looks like it");
}

int main(void)
{
	test_program_versions();
	test_inet_datagrams();
	test_broken_datagrams();
	test_missing_drops();
	test_unix_datagrams();
	test_text();
	test_hostile_text();
	test_numbers();
	test_live();
	test_program();
	return tap_done();
}
