/* SPDX-License-Identifier: GPL-2.0-only */
/* Is a server of another user found with its settings, and what it wrote parsed without the rights
 * that it took to read it? */
#include "base/banned.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <fnmatch.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "sys/caps.h"
#include "tap.h"
#include "tools/keepalive/server.h"
#include "tools/keepalive/target.h"
#include "sys/url.h"
#include "tree.h"
#include "tools/keepalive/findserver.h"

#define TITLE "puma 5.6.5 (tcp://127.0.0.1) [shop]"
#define NOBODY 65534

/* Every pattern that a title, a thread's name or a setting is held against goes through here. */
static size_t parsed, parsed_with_rights;

static bool has_rights(void)
{
	const cap_value_t rights[] = {CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE};
	cap_flag_value_t has = CAP_CLEAR;
	cap_t state = cap_get_proc();
	bool any = false;
	size_t i;

	for (i = 0; i < 2; i++)
		any |= !cap_get_flag(state, rights[i], CAP_EFFECTIVE, &has) && has == CAP_SET;
	cap_free(state);
	return any;
}

int fnmatch(const char *pattern, const char *text, int flags)
{
	static int (*real)(const char *pattern, const char *text, int flags);

	if (!real)
		real = (int (*)(const char *, const char *, int))dlsym(RTLD_NEXT, "fnmatch");
	parsed++;
	parsed_with_rights += has_rights();
	return real(pattern, text, flags);
}

/* What the process becomes that was started under a title of Puma's. It ends with its input, since
 * without rights nobody may signal a process of another user. */
static int be_puma(void)
{
	prctl(PR_SET_NAME, "puma srv tp 001");
	putchar('\n');
	fflush(stdout);
	return getchar() != EOF;
}

static int listen_anywhere(uint16_t *port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	const int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, len) || listen(fd, 8) ||
		getsockname(fd, (struct sockaddr *)&address, &len))
		return -1;
	*port = ntohs(address.sin_port);
	return fd;
}

/* A directory to run in, with a configuration that only the server's user may read, and one that
 * is not used where the first is there. */
static bool prepare(const struct tree *tree)
{
	const char *used = "config/puma/production.rb";

	tree_write(tree, used, "threads 5, 5\nmax_fast_inline 1\n");
	tree_write(tree, "config/puma.rb", "threads 7, 7\n");
	return !chmod(tree->dir, 0755) && !chmod(tree_path(tree, "config"), 0755) &&
		!chmod(tree_path(tree, "config/puma"), 0755) &&
		!chmod(tree_path(tree, used), 0600) &&
		!chown(tree_path(tree, used), NOBODY, NOBODY) && !chdir(tree->dir);
}

/* Returns its pid once it runs under its title, or -1; it goes on until *in is closed. Its
 * environment is what RACK_ENV says, unless that is NULL. */
static pid_t start_puma(uint16_t *port, int *in, const char *environment)
{
	char title[] = TITLE, *argv[] = {title, NULL}, said;
	int out[2], pipe_in[2], fd = listen_anywhere(port);
	pid_t pid;

	if (fd < 0 || pipe2(out, O_CLOEXEC) || pipe2(pipe_in, O_CLOEXEC))
		return -1;
	*in = pipe_in[1];
	pid = fork();
	if (pid == 0) {
		dup2(pipe_in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		unsetenv("APP_ENV");
		unsetenv("RAILS_ENV");
		unsetenv("RACK_ENV");
		if (environment)
			setenv("RACK_ENV", environment, 1);
		if (!setgid(NOBODY) && !setuid(NOBODY))
			execv("/proc/self/exe", argv);
		_exit(1);
	}
	close(fd);
	close(pipe_in[0]);
	close(out[1]);
	if (read(out[0], &said, 1) != 1)
		pid = -1;
	close(out[0]);
	return pid;
}

static void find(struct server *server, uint16_t port)
{
	const struct url url = {.port = port};
	struct target target = {.url = &url, .own = true};

	snprintf(target.text, sizeof(target.text), "127.0.0.1:%u", port);
	server_find(server, &target);
}

static void test_rights(uint16_t port, pid_t pid)
{
	struct server server = {0};

	find(&server, port);
	ok(server.pid == pid && !strcmp(server.name ? server.name : "", "puma") &&
			!strcmp(server.version, "5.6.5"),
		"a server of another user is recognised");
	ok(server.threads == 1, "and its threads are counted");
	ok(!strcmp(str_text(&server.settings),
		   "threads=5 max_fast_inline=1 (config/puma/production.rb)"),
		"its configuration is read, the one that counts, which only that user may: %s",
		str_text(&server.settings));
	ok(parsed >= 5 && !parsed_with_rights,
		"of %zu patterns %zu were matched with the rights that reading takes", parsed,
		parsed_with_rights);
	server_free(&server);
}

/* Servers that run side by side: once the rights are dropped none can be started as another user.
 */
struct running {
	const char *environment, *settings;
	uint16_t port;
	pid_t pid;
	int in;
};

static bool start_all(struct running *servers, size_t n)
{
	bool all = true;
	size_t i;

	for (i = 0; i < n; i++) {
		servers[i].pid =
			start_puma(&servers[i].port, &servers[i].in, servers[i].environment);
		all &= servers[i].pid > 0;
	}
	return all;
}

static void test_environment(const struct running *running)
{
	struct server server = {0};

	find(&server, running->port);
	ok(!strcmp(str_text(&server.settings), running->settings),
		"and that of the environment, %s: %s",
		running->environment ? running->environment : "not known",
		str_text(&server.settings));
	server_free(&server);
}

int main(int argc, char **argv)
{
	struct running servers[] = {
		{"production", "", 0, -1, -1},
		{"staging", "threads=7 (config/puma.rb)", 0, -1, -1},
		{NULL, "threads=5? max_fast_inline=1? (config/puma/production.rb)", 0, -1, -1},
	};
	struct tree tree;
	size_t i;

	(void)argc;
	if (!strcmp(argv[0], TITLE))
		return be_puma();
	if (geteuid() || !caps_have(CAPS_READ | CAPS_PTRACE)) {
		ok(true, "what others wrote is parsed without rights # SKIP needs root");
		return tap_done();
	}
	tree = tree_new();
	if (ok(prepare(&tree) && start_all(servers, ARRAY_SIZE(servers)) && !caps_start(CAPS_ALL),
		    "there are servers of another user")) {
		test_rights(servers[0].port, servers[0].pid);
		test_environment(&servers[1]);
		test_environment(&servers[2]);
	}
	for (i = 0; i < ARRAY_SIZE(servers); i++)
		close(servers[i].in);
	for (i = 0; i < ARRAY_SIZE(servers); i++)
		if (servers[i].pid > 0)
			waitpid(servers[i].pid, NULL, 0);
	tree_free(&tree);
	return tap_done();
}
