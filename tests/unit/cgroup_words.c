/* SPDX-License-Identifier: GPL-2.0-only */
/* Is a control group called what people call it, whoever made it? */
#include "base/banned.h"
#include "base/cgroup_words.h"
#include "base/str.h"
#include "tap.h"

#define ID "9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a0"
#define UID "1b2c3d4e-5f60-4718-92a3-b4c5d6e7f809"
#define UID_OF_UNIT "1b2c3d4e_5f60_4718_92a3_b4c5d6e7f809"
#define STATIC_UID "0123456789abcdef0123456789abcdef"

static const struct {
	const char *path, *expected, *what;
} groups[] = {
	{"/", "/", "the root stays"},
	{"", "", "nothing stays nothing"},
	{"/batch/night", "/batch/night", "a path that says nothing stays"},
	{"/system.slice/mysql.service", "mysql.service", "a service"},
	{"/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1.service",
		"an instance of a service"},
	{"/system.slice/x.service/worker", "x.service/worker", "a group within a service"},
	{"/system.slice", "system.slice", "a slice"},
	{"/init.scope", "init.scope", "a scope"},
	{"/user.slice/user-1000.slice/session-3.scope", "session-3.scope of user 1000",
		"a session of a user"},
	{"/user.slice/user-1000.slice/user@1000.service/app.slice/make.scope",
		"make.scope of user 1000", "what a user's own systemd started"},
	{"/user.slice/user-1000.slice/user@1000.service", "user 1000", "all of a user"},
	{"/user.slice/user-daemon.slice", "user-daemon.slice", "a slice with the name of none"},
	{"/system.slice/docker-" ID ".scope", "container 9f8e7d6c5b4a", "Docker with systemd"},
	{"/docker/" ID, "container 9f8e7d6c5b4a", "Docker without"},
	{"/docker/" ID "/system.slice/x.service", "container 9f8e7d6c5b4a/system.slice/x.service",
		"a unit within a container"},
	{"/machine.slice/libpod-" ID ".scope/container", "container 9f8e7d6c5b4a/container",
		"Podman"},
	{"/machine.slice/libpod-conmon-" ID ".scope", "conmon of container 9f8e7d6c5b4a",
		"who watches over a container"},
	{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_OF_UNIT
	 ".slice/cri-containerd-" ID ".scope",
		"container 9f8e7d6c5b4a of pod " UID, "a pod of Kubernetes with systemd"},
	{"/kubepods/besteffort/pod" UID "/" ID, "container 9f8e7d6c5b4a of pod " UID,
		"a pod of Kubernetes without"},
	{"/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod" UID_OF_UNIT ".slice",
		"pod " UID, "a pod as a whole, below a root of kind"},
	{"/kubepods.slice/kubepods-pod" STATIC_UID ".slice/crio-" ID ".scope",
		"container 9f8e7d6c5b4a of pod " STATIC_UID, "a static pod with CRI-O"},
	{"/kubepods.slice/kubepods-burstable.slice", "kubepods-burstable.slice", "a class of pods"},
	{"/podman/pod", "/podman/pod", "what only begins like a pod"},
	{"/machine.slice/machine-qemu\\x2d1\\x2dweb.scope", "machine qemu-1-web",
		"a virtual machine of libvirt"},
	{"/machine.slice/machine-qemu\\x2d1\\x2dweb.scope/libvirt/vcpu0",
		"machine qemu-1-web/libvirt/vcpu0", "a CPU of it"},
	{"/lxc.payload.web/system.slice/x.service", "machine web/system.slice/x.service", "LXC"},
	{"/docker/" ID "x", "/docker/" ID "x", "what is no container's ID"},
	{"//x.service", "x.service", "an empty word"},
	{"no path", "no path", "what is no path"},
};

int main(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		struct str out = STR_INIT;

		cgroup_words(&out, groups[i].path);
		if (!ok(!strcmp(str_text(&out), groups[i].expected), "%s", groups[i].what))
			printf("# got '%s'\n", str_text(&out));
		str_free(&out);
	}
	return tap_done();
}
