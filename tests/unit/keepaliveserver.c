/* SPDX-License-Identifier: GPL-2.0-only */
/* Are servers recognised, with the version and the settings that matter, and told what helps? */
#include "base/banned.h"
#include "tap.h"
#include "tools/keepalive/server.h"

static bool has_remedy(const struct server *server, const char *text)
{
	size_t i;

	for (i = 0; i < server->n_remedies; i++)
		if (strstr(server->remedies[i].what, text))
			return true;
	return false;
}

static void test_versions(void)
{
	ok(server_compare_versions("6.6.1", "7.0.0") < 0, "6.6.1 is before 7.0.0");
	ok(server_compare_versions("6.10", "6.9.9") > 0, "6.10 is after 6.9.9");
	ok(server_compare_versions("7.0", "7.0.0") == 0, "7.0 is 7.0.0");
	ok(server_compare_versions("", "1") < 0 && server_compare_versions("x", "") == 0,
		"what is no version is before all");
	ok(server_compare_versions("99999999999999999999999", "1") <= 0,
		"a number beyond 64 bits is no number");
}

static void test_puma(void)
{
	struct server server = {0};

	server_know(&server, "puma 5.6.5 (tcp://127.0.0.1:3000) [shop]", "", "");
	ok(server.known && !strcmp(server.name, "puma") && !strcmp(server.version, "5.6.5") &&
			server.suffers == SUFFERS_YES,
		"Puma 5.6.5 is known to suffer");
	ok(server.n_remedies && strstr(server.remedies[0].what, "upgrade") &&
			server.remedies[0].price,
		"an upgrade comes first, with its price");
	ok(!has_remedy(&server, "enable_keep_alives") && has_remedy(&server, "queue_requests"),
		"what that version does not have is not advised");
	server_know(&server, "puma 6.6.1 (tcp://127.0.0.1:3000) [shop]", "", "");
	ok(server.suffers == SUFFERS_YES && has_remedy(&server, "enable_keep_alives false"),
		"Puma 6.6.1 has enable_keep_alives");
	server_know(&server, "puma 6.6.1 (tcp://127.0.0.1:3000) [shop]", "",
		"threads=5 enable_keep_alives=false (config/puma.rb)");
	ok(server.suffers == SUFFERS_NO && strstr(str_text(&server.why), "enable_keep_alives"),
		"and does not suffer where that is false");
	server_know(&server, "puma 6.6.1 (x) [y]", "", "enable_keep_alives=false? ");
	ok(server.suffers == SUFFERS_UNKNOWN && strstr(str_text(&server.why), "7.0.0") &&
			strstr(str_text(&server.why), "unless enable_keep_alives=false is"),
		"but where it says so in a block nobody knows: %s", str_text(&server.why));
	server_know(&server, "puma 6.6.1 (x) [y]", "",
		"enable_keep_alives=false? queue_requests=false ");
	ok(server.suffers == SUFFERS_NO, "unless there is another cure");
	server_know(&server, "puma 7.1.0 (x) [y]", "", "enable_keep_alives=false? ");
	ok(server.suffers == SUFFERS_NO && !strstr(str_text(&server.why), "unless"),
		"or none is needed");
	server_know(&server, "puma 5.6.5 (x) [y]", "", "threads=5 max_fast_inline=1 ");
	ok(!has_remedy(&server, "max_fast_inline 1"), "what is in force is not advised");
	server_know(&server, "puma 5.6.5 (x) [y]", "", "max_fast_inline=10 ");
	ok(has_remedy(&server, "max_fast_inline 1"), "ten is not one");
	server_know(&server, "puma 7.1.0 (tcp://127.0.0.1:3000) [shop]", "", "");
	ok(server.suffers == SUFFERS_NO, "Puma 7.1.0 does not suffer");
	server_free(&server);
}

static void test_others(void)
{
	struct server server = {0};

	server_know(&server, "./my server", "", "");
	ok(!server.known && server.suffers == SUFFERS_UNKNOWN && server.mechanism &&
			server.n_remedies,
		"an unknown server gets what holds for all");
	server_know(&server, NULL, "nginx/1.22.1", "");
	ok(server.known && server.proxy, "nginx is known by its header, as a proxy");
	server_know(&server, NULL, "", "");
	ok(!server.known, "no header says nothing");
	server_know(&server, "/usr/sbin/apache2 -k start", "", "");
	ok(!strcmp(server.name, "apache") && server.suffers == SUFFERS_YES, "apache");
	server_know(&server, "uwsgi_python3 --http11-socket 127.0.0.1:80 --threads 5", "", "");
	ok(!strcmp(server.name, "uwsgi-http11") && server.suffers == SUFFERS_YES &&
			has_remedy(&server, "--http-keepalive"),
		"uwsgi that speaks HTTP/1.1 itself");
	server_know(&server, "/usr/bin/uwsgi --plugins http --http :80 --http-keepalive", "", "");
	ok(!strcmp(server.name, "uwsgi-router") && server.suffers == SUFFERS_NO,
		"uwsgi behind its own router does not suffer");
	server_know(&server, "uwsgi --ini shop.ini", "", "");
	ok(!strcmp(server.name, "uwsgi") && server.suffers == SUFFERS_UNKNOWN && server.mechanism,
		"and of another nobody knows");
	server_know(&server, "puma", "", "");
	ok(!server.known, "a title without a version is not Puma's");
	server_free(&server);
}

static bool settings_may_be(const char *text, bool perhaps, const char *wanted)
{
	struct str out = STR_INIT;
	bool same;

	server_read_settings(&out, "threads workers max_fast_inline enable_keep_alives", perhaps,
		text, strlen(text));
	same = !strcmp(str_text(&out), wanted);
	if (!same)
		printf("# '%s'\n", str_text(&out));
	str_free(&out);
	return same;
}

static bool settings_are(const char *text, const char *wanted)
{
	return settings_may_be(text, false, wanted);
}

/* The 0 byte that ends the block is in it. */
#define ENVIRONMENT_IS(block, wanted) environment_is(block, sizeof(block), wanted)

static bool environment_is(const char *block, size_t len, const char *wanted)
{
	char *found = server_read_environment("APP_ENV RACK_ENV RAILS_ENV", block, len);
	const bool same = found && wanted ? !strcmp(found, wanted) : !found && !wanted;

	free(found);
	return same;
}

static void test_environment(void)
{
	ok(ENVIRONMENT_IS("HOME=/\0RACK_ENV=staging\0A=b=c", "staging"),
		"what a variable says is the environment");
	ok(ENVIRONMENT_IS("RAILS_ENV=a\0APP_ENV=a", "a"), "so it is where two agree");
	ok(ENVIRONMENT_IS("RAILS_ENV=a\0APP_ENV=b", NULL), "but not where they differ");
	ok(ENVIRONMENT_IS("HOME=/\0RACK_ENVY=a\0ENV=a", NULL), "other names say nothing");
	ok(ENVIRONMENT_IS("RACK_ENV=../../etc/x", NULL) && ENVIRONMENT_IS("RACK_ENV=", NULL) &&
			ENVIRONMENT_IS("RACK_ENV=0123456789012345678901234567890123456789", NULL),
		"nor does what is no name");
	ok(ENVIRONMENT_IS("op]\0RACK_ENV=a", NULL) && ENVIRONMENT_IS("\0\0RACK_ENV=a", NULL),
		"nor what a long title has been written over");
	ok(!environment_is("RACK_ENV=a", 10, "a") && environment_is("", 0, NULL),
		"nor what is cut, or nothing");
}

static void test_settings(void)
{
	ok(settings_are("threads 1, 5\n  workers(2)\nmax_fast_inline 1 # one\n",
		   "threads=1 workers=2? max_fast_inline=1 "),
		"plain values are read, and what stands in a block is in doubt");
	ok(settings_are("enable_keep_alives false", "enable_keep_alives=false "),
		"also in a last line without an end");
	ok(settings_are("workers ENV.fetch(\"WEB_CONCURRENCY\") { 2 }\n", ""),
		"what is computed is not known");
	ok(settings_are("# threads 5\nthreadsx 5\nthreads\nother 7\n", ""),
		"comments and other words are not settings");
	ok(settings_are("workers 2 if x\n", ""), "nor is what has a condition");
	ok(settings_may_be("threads 1\n  workers 2\n", true, "threads=1? workers=2? "),
		"of a file that may not count all is in doubt");
}

int main(void)
{
	test_versions();
	test_puma();
	test_others();
	test_settings();
	test_environment();
	return tap_done();
}
