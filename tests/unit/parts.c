/* SPDX-License-Identifier: GPL-2.0-only */
/* Which packages, namespaces, files and libraries is a frame of each language in? */
#include "base/banned.h"

#include "base/str.h"
#include "flame/kind.h"
#include "flame/parts.h"
#include "tests/unit/tap.h"

static const struct {
	const char *name, *parts;
} names[] = {
	/* Java: as perf-map-agent, jcmd and async-profiler write it. */
	{"com/x/legacy/Flag.isOn",
		"com|com/x|com/x/legacy|com/x/legacy/Flag|com/x/legacy/Flag.isOn"},
	{"com.x.Legacy.f", "com|com.x|com.x.Legacy|com.x.Legacy.f"},
	{"com/x/Legacy$Flag.isOn_[j]",
		"com|com/x|com/x/Legacy|com/x/Legacy$Flag|com/x/Legacy$Flag.isOn"},
	{"Lcom/x/Legacy:::get_[j]",
		"com|com/x|com/x/Legacy|com/x/Legacy:::get|Lcom/x/Legacy:::get"},
	{"Lcom/x/Legacy;::get", "com|com/x|com/x/Legacy;|com/x/Legacy;::get|Lcom/x/Legacy;::get"},
	{"java.lang.String com.x.Legacy.get(int, java.lang.Object)",
		"com|com.x|com.x.Legacy|com.x.Legacy.get|"
		"java.lang.String com.x.Legacy.get(int, java.lang.Object)"},
	{"void com.x.Legacy.<init>()",
		"com|com.x|com.x.Legacy|com.x.Legacy.<init>|void com.x.Legacy.<init>()"},
	{"C2 CompilerThre", "C2 CompilerThre"},
	/* node */
	{"LazyCompile:~f /path/file.js:12",
		"f /path/file.js:12|/path|/path/file.js|"
		"LazyCompile:~f /path/file.js:12"},
	{"JS:*get file:///app/lib/x.mjs:12:3_[j]",
		"get file:///app/lib/x.mjs:12:3|/app|/app/lib|/app/lib/x.mjs|"
		"JS:*get file:///app/lib/x.mjs:12:3"},
	{"LazyCompile:*emit node:events:512:44",
		"emit node:events:512:44|node:events|LazyCompile:*emit node:events:512:44"},
	{"Builtin:ArrayForEach", "ArrayForEach|Builtin:ArrayForEach"},
	{"Function:^ /app/x.js:1:1", "/app|/app/x.js|Function:^ /app/x.js:1:1"},
	{"src/app.js:12", "src|src/app|src/app.js|src/app.js:12"},
	{"render (src/app.js:12:3)", "src|src/app.js|render|render (src/app.js:12:3)"},
	{"render src/app.js:12", "render src/app.js:12|src|src/app.js|render|render src/app.js:12"},
	/* Python */
	{"py::mod.f", "mod|mod.f|py::mod.f"},
	{"py::Foo.bar:/usr/lib/m.py",
		"Foo|Foo.bar|/usr|/usr/lib|/usr/lib/m.py|py::Foo.bar:/usr/lib/m.py"},
	{"py::<module>:/app/x.py", "<module>|/app|/app/x.py|py::<module>:/app/x.py"},
	{"bar (pkg/mod.py:7)_[p]", "pkg|pkg/mod.py|bar|bar (pkg/mod.py:7)"},
	/* C++ */
	{"ns::Class<int, std::less<int> >::f(char const*) const",
		"ns|ns::Class|ns::Class<>::f|ns::Class<int, std::less<int> >::f(char const*) "
		"const"},
	{"ns::f(int)", "ns|ns::f|ns::f(int)"},
	{"void ns::f<a::B>(a::B&&)", "ns|ns::f|void ns::f<a::B>(a::B&&)"},
	{"std::map<int, ns::A> const& ns::get<1>(int)",
		"ns|ns::get|std::map<int, ns::A> const& ns::get<1>(int)"},
	{"(anonymous namespace)::f(int)", "(anonymous namespace)::f|(anonymous namespace)::f(int)"},
	{"int ns::(anonymous namespace)::C::f()",
		"ns|ns::(anonymous namespace)|ns::(anonymous namespace)::C|"
		"ns::(anonymous namespace)::C::f|int ns::(anonymous namespace)::C::f()"},
	{"ns::f(int) const::{lambda(int)#1}::operator()(int) const",
		"ns|ns::f() const|ns::f() const::{lambda()#1}|"
		"ns::f() const::{lambda()#1}::operator()|"
		"ns::f(int) const::{lambda(int)#1}::operator()(int) const"},
	{"ns::A::operator<(ns::A const&)",
		"ns|ns::A|ns::A::operator<|ns::A::operator<(ns::A const&)"},
	{"operator new(unsigned long)", "operator new|operator new(unsigned long)"},
	{"go(int) [clone .part.0]", "go|go(int) [clone .part.0]"},
	{"_ZN2ns5Class1fEv", "_ZN2ns|_ZN2ns5Class|_ZN2ns5Class1f|_ZN2ns5Class1fEv"},
	{"_ZNKSt6vectorIiE4sizeEv", "_ZNKSt6vector|_ZNKSt6vectorIiE4sizeEv"},
	{"_ZN12_GLOBAL__N_11fEv", "_ZN12_GLOBAL__N_11f|_ZN12_GLOBAL__N_11fEv"},
	/* Rust */
	{"<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop",
		"alloc|alloc::vec|alloc::vec::Vec|"
		"<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop"},
	{"<&mut x::Y as core::fmt::Debug>::fmt", "x::Y|<&mut x::Y as core::fmt::Debug>::fmt"},
	{"<impl core::fmt::Debug for my::Type>::fmt",
		"my|my::Type|<impl core::fmt::Debug for my::Type>::fmt"},
	{"my::run::{{closure}}", "my|my::run|my::run::{{closure}}"},
	{"core::ptr::drop_in_place<my::T>::h0123456789abcdef",
		"core|core::ptr|core::ptr::drop_in_place|"
		"core::ptr::drop_in_place<>::h0123456789abcdef|"
		"core::ptr::drop_in_place<my::T>::h0123456789abcdef"},
	{"_ZN5alloc3vec4push17h0123456789abcdefE",
		"_ZN5alloc|_ZN5alloc3vec|_ZN5alloc3vec4push|"
		"_ZN5alloc3vec4push17h0123456789abcdefE"},
	/* Go */
	{"github.com/x/y.(*T).Get",
		"github|github.com|github.com/x|github.com/x/y|github.com/x/y.(*T)|"
		"github.com/x/y.(*T).Get"},
	/* The kernel, C, and libraries. */
	{"vfs_read_[k]", "vfs_read"},
	{"tcp_v4_rcv.isra.0_[k]", "tcp_v4_rcv|tcp_v4_rcv.isra|tcp_v4_rcv.isra.0"},
	{"nf_hook [nf_conntrack]_[k]", "nf_conntrack|nf_hook|nf_hook [nf_conntrack]"},
	{"read (libc.so.6)", "libc.so.6|read|read (libc.so.6)"},
	{"libc.so.6`read", "libc|libc.so|libc.so.6|libc.so.6`read"},
	{"[unknown] libx.so.1", "libx.so.1|[unknown] libx.so.1"},
	{"/usr/lib/libx.so", "/usr|/usr/lib|/usr/lib/libx.so"},
	{"Web Content", "Web Content"},
	{"my prog 102", "my prog 102"},
	{"x", ""},
	/* What is no name of any language ends somewhere, too. */
	{"a::b(", "a::b|a::b("},
	{"<<<>>", "<<<>>"},
	{"((", "(("},
};

static char *parts_of(const char *name)
{
	struct flame_part list[FLAME_PARTS_MAX];
	struct str all = STR_INIT, one = STR_INIT, last = STR_INIT;
	size_t len, n;

	flame_kind_of(name, &len);
	n = flame_parts_find(name, len, list);
	for (size_t i = 0; i < n; i++) {
		str_clear(&one);
		flame_part_add_text(&one, name, &list[i]);
		if (!strcmp(str_text(&one), str_text(&last)))
			continue;
		str_add(&all, all.len ? "|" : "");
		str_add(&all, str_text(&one));
		str_clear(&last);
		str_add(&last, str_text(&one));
	}
	str_free(&one);
	str_free(&last);
	return str_take(&all);
}

static bool readable_is(const char *text, const char *wanted)
{
	struct str out = STR_INIT;
	bool is;

	flame_part_add_readable(&out, text);
	is = !strcmp(str_text(&out), wanted);
	str_free(&out);
	return is;
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *parts = parts_of(names[i].name);

		if (!ok(!strcmp(parts, names[i].parts), "%s", names[i].name))
			printf("# got:    %s\n# wanted: %s\n", parts, names[i].parts);
		free(parts);
	}
	ok(readable_is("_ZN2ns5Class", "ns::Class") &&
			readable_is("_ZNKSt6vector", "std::vector") &&
			readable_is("com/x", "com/x"),
		"a mangled part is read as its names");
	return tap_done();
}
