/* SPDX-License-Identifier: GPL-2.0-only */
/* Control groups as people call them: by unit, container, pod, user or virtual machine. */
#ifndef TUESDAY_BASE_CGROUP_WORDS_H
#define TUESDAY_BASE_CGROUP_WORDS_H

struct str;

/*
 * Appends what a path below the hierarchy's root is called:
 *
 *   /system.slice/x.service                              x.service
 *   /user.slice/user-7.slice/user@7.service/a.scope      a.scope of user 7
 *   /system.slice/docker-ID.scope, /docker/ID            container ID, its first 12 digits
 *   /kubepods.slice/…-podUID.slice/cri-containerd-ID.scope    container ID of pod UID
 *   /machine.slice/machine-qemu\x2d1\x2dvm.scope         machine qemu-1-vm
 *
 * A group below one of these keeps the rest of its path: "x.service/worker". A path of none of
 * these stays as it is. The layouts are those of systemd, of the kubelet with either driver, and of
 * containerd, CRI-O, Docker, Podman and LXC. The path is hostile, and so is what comes of it.
 */
void cgroup_words(struct str *out, const char *path);

#endif
