/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is any of a thousand names, addresses and serial numbers left, in any file that a recording
 * holds?
 *
 * Below is a line for each kind of file, with places for what is planted. It is filled anew until a
 * thousand are planted, each different; the redaction of all is one text, in which no byte of any
 * of them may be found: as it was planted, and as anybody could write it. The same search must find
 * each in what was planted.
 */
#include "base/banned.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <linux/types.h>
#include <stdlib.h>

#include "base/str.h"
#include "bpf/iter/inotify.h"
#include "bpf/iter/task.h"
#include "redact/filter.h"
#include "run/known_words.h"
#include "tests/unit/tap.h"

#define PLANTED_MIN 1000

/*
 * N a name, D a name of digits, P one that is a word of the kernel, S a serial number, U a UUID, W
 * a WWN; 4 and 6 an address of IPv4 or IPv6, G one that is glued to something, I a number that is
 * an address, X an IPv4 address in hexadecimal as the CPU has it, Y in network order, x and y the
 * same of IPv6; M the address of a card in some form, L one of InfiniBand. Each behind a '~'.
 */
static const struct {
	const char *path, *text;
} files[] = {
	{"/proc/self/mountinfo",
		"25 1 254:0 /~N /mnt/~N rw,relatime shared:1 - nfs4 ~P:/~N "
		"rw,addr=~4,clientaddr=~G\n"},
	{"/proc/self/mountinfo",
		"26 1 0:44 / /home/~P rw - cifs //~P/~N rw,username=~P,domain=~N,"
		"ip=~I\n"},
	{"/proc/self/mountinfo", "27 1 0:45 / /data/~G rw - ceph ~4:6789,[~6]:6789:/~N rw\n"},
	{"/proc/self/mountinfo", "27 1 0:45 / /run/user/~D rw - lustre ~4@tcp:~4@o2ib:/work rw\n"},
	{"/proc/self/mountinfo", "28 1 8:1 / /boot\\040~N rw - ext4 /dev/disk/by-id/wwn-0x~W rw\n"},
	{"/proc/1/mounts", "/dev/mapper/~N--~N /srv/~G ext4 rw 0 0\nUUID=~U /x xfs rw 0 0\n"},
	{"/proc/self/mountstats",
		"device ~N.example.com:/~N mounted on /mnt/~N with fstype nfs4 statvers=1.1\n"
		"\topts:\trw,vers=4.1,addr=~6,clientaddr=~4,mountaddr=~G\n\tage:\t5\n"},
	{"/proc/fs/nfsfs/volumes", "v4 ~Y  801 0:45 ~S:0 no\nv4 ~y 801 0:46 1:0 no\n"},
	{"/proc/fs/nfsfs/servers", "v4 ~Y 801 2 ~N.example.org\n"},
	{"/proc/swaps", "/~N/swap\\040~N file 1 2 -2\n"},
	{"/proc/mdstat", "md_~N : active raid1 sda1[0] ~N[1]\n"},
	{"/proc/cmdline",
		"root=UUID=~U ip=~4::~4:255.255.255.0:~N:eth0:off nfsroot=~G:/~N "
		"rd.luks.uuid=luks-~U systemd.machine_id=~S BOOTIF=01-~M\n"},
	{"/proc/interrupts", " 24: 1 2 PCI-MSI 524288-edge ~N-rx-0\n 25: 0 0 IO-APIC 9 ~M\n"},
	{"/proc/net/dev", "~N: 1 2 3\n  ~D: 1 2\n gre-~4: 1 2\nbr-~4: 1\n"},
	{"@netns/~N/net/dev", "ip_~4: 1 2\n"},
	{"/proc/net/tcp", " 0: ~X:1F90 ~X:0050 0A 00000000:00000000 00:00000000 0 0 0 1234\n"},
	{"/proc/net/tcp6", " 0: ~x:1F90 ~x:0050 0A 00000000:00000000 00:00000000 0 0 0 1234\n"},
	{"/proc/net/udp",
		" 0: ~X:0035 00000000:0000 07 00000000:00000000 00:00000000 0 0 0 1 2 0 0\n"},
	{"/proc/net/udp6", " 0: ~x:0035 ~x:0000 07\n"},
	{"/proc/77/net/tcp", " 0: ~X:1F90 ~X:0050 0A\n"},
	{"/proc/net/raw", " 1: ~X:0001 00000000:0000 07\n"},
	{"@netns/~N/net/tcp", " 0: ~X:1F90 ~X:0050 0A\n"},
	{"@netns/~D/net/udp6", " 0: ~x:1F90 ~x:0050 0A\n"},
	{"/proc/net/route", "~N\t~X\t~X\t0003\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"},
	{"/proc/net/rt_cache", "eth0\t~X\t~X\t0\t0\t0\t~X\t0\t0\t0\t0\t0\t~X\n"},
	{"/proc/net/arp", "~4 0x1 0x2 ~M * ~N\n"},
	{"/proc/net/igmp", "2\teth0 : 1 V3\n\t\t\t\t~X 1 0:00000000 0\n"},
	{"/proc/net/if_inet6", "~y 02 40 20 80 ~N\n"},
	{"/proc/net/ipv6_route", "~y 40 ~y 00 ~y 00000100 00000001 00000000 00000001 ~N\n"},
	{"/proc/net/igmp6", "2 eth0 ~y 1 0000000C 0\n"},
	{"/proc/net/unix",
		"0000000000000000: 00000002 00000000 00010000 0001 01 4711 /run/~N/~N.sock\n"},
	{"/proc/12/comm", "~N\n"},
	{"/proc/13/comm", "~D\n"},
	{"/proc/14/comm", "ip-~4\n"},
	{"/proc/12/cmdline", "~N --password=~N --peer ~G"},
	{"/proc/12/environ", "HOME=/home/~P"},
	{"/proc/12/cgroup", "0::/user.slice/~N.service/~D\n4:memory:/~N\n"},
	{"/proc/12/exe@link", "/home/~P/bin/~N"},
	{"/proc/sys/kernel/hostname", "~P\n"},
	{"/proc/sys/kernel/domainname", "~N.~N.example\n"},
	{"/proc/sys/kernel/random/boot_id", "~U\n"},
	{"/etc/hostname", "~N\n"},
	{"/etc/machine-id", "~S\n"},
	{"/etc/hosts", "~4 ~P.~N ~P\n~6 ~N\n"},
	{"/etc/resolv.conf",
		"search ~P ~N.example.com\nnameserver ~4\nnameserver ~6%eth0\n"
		"nameserver ~I\nnameserver ~6\n"},
	{"/etc/os-release", "NAME=\"~N\"\nHOME_URL=\"https://~N:~N@~N.example.com/~U\"\n"},
	{"/etc/tuesday/labels.ini", "[labels]\nrack = ~N\nmail = ~N@~N.example.com\n"},
	{"/sys/fs/cgroup/~N.slice/~N.service/cgroup.procs", "12\n13\n"},
	{"/sys/fs/cgroup/system.slice/docker-~S.scope/cpu.stat", "usage_usec 12\n"},
	{"/sys/fs/cgroup/kubepods.slice/kubepods-pod~U.slice/~D/memory.stat", "anon 12\n"},
	{"/sys/fs/cgroup/machine.slice/ip-~4.scope/io.stat", "8:0 rbytes=12\n"},
	{"/sys/fs/cgroup/memory/~N/~G/memory.usage_in_bytes", "12\n"},
	{"/sys/class/net/~N/address", "~M\n"},
	{"/sys/class/net/gre-~4/duplex", "full\n"},
	{"/sys/class/net/eth0/address", "~M\n"},
	{"/sys/class/infiniband/~N/node_guid", "~W\n"},
	{"/sys/class/power_supply/hid-~M-battery/status", "Full\n"},
	{"/sys/class/iscsi_session/session1/targetname", "iqn.2001-04.com.~N:storage.~S\n"},
	{"/sys/class/fc_host/host1/port_name", "0x~W\n"},
	{"/sys/class/dmi/id/product_name", "~N ~S\n"},
	{"/sys/class/dmi/id/product_serial", "~D\n"},
	{"/sys/class/dmi/id/product_uuid", "~U\n"},
	{"/sys/class/dmi/id/chassis_asset_tag", "~P\n"},
	{"/sys/block/sda/device/model", "~N ~S\n"},
	{"/sys/block/sda/device/wwid", "naa.~W\n"},
	{"/sys/block/nvme0n1/nguid", "~U\n"},
	{"/sys/block/nvme0n1/wwid", "eui.~W\n"},
	{"/sys/block/nvme0n1/serial", "~D\n"},
	{"/sys/block/dm-0/dm/name", "~N-~N\n"},
	{"/sys/block/dm-1/dm/uuid", "CRYPT-LUKS2-~S-~N\n"},
	{"/sys/fs/btrfs/~U/allocation/global_rsv_size", "12\n"},
	{"/sys/fs/bcache/~U/cache_available_percent", "12\n"},
	{"/sys/fs/ext4/~N/errors_count", "0\n"},
	{"/sys/kernel/tracing/instances/~N/set_event", "\n"},
	{"/sys/kernel/tracing/uprobe_profile", "  ~N_probe  1 2\n"},
	{"/proc/spl/kstat/zfs/~N/txgs", "txg birth\n"},
	{"/proc/spl/kstat/zfs/~N/objset-0x36", "dataset_name 7 ~N/~N\n"},
	{"/proc/sys/net/ipv4/conf/~N/rp_filter", "1\n"},
	{"/proc/sys/net/ipv6/neigh/~D/gc_thresh3", "1\n"},
	{"/proc/drbd", " 0: cs:Connected ro:Primary/Secondary peer:~N ~4:7788\n"},
	{"/proc/fs/cifs/Stats", "1) \\\\~4\\~N\nSMBs: 5\n"},
	{"/dev/mqueue/~N", ""},
	{"/var/lib/~N/~D/time@age", "5\n"},
	{"@klog",
		"now_us 5\noverwritten 0\n"
		"4,1,5,-;nfs: server ~N.example.com not responding, still trying\n"
		"4,2,5,-;IN=eth0 OUT= MAC=~M:~M:08:00 SRC=~4 DST=~4 LEN=40\n"
		"4,3,5,-;possible SYN flooding on port ~4:80. Sending cookies.\n"
		"4,4,5,-;IPv6: eth0: IPv6 duplicate address ~6 detected!\n"
		"4,5,5,-;Memory cgroup out of memory: Killed process 12 (~N) total-vm:5kB\n"
		"4,6,5,-;usb 1-1: SerialNumber: ~D\n"
		"4,7,5,-;wlan0: authenticate with ~M (ssid=~P)\n"
		"4,8,5,-;nvme nvme0: Model: ~N SN: ~S wwn 0x~W\n"
		"4,9,5,-;audit: comm=\"~N\" exe=\"/home/~P/~N\" addr=~G hostname=~P\n"
		"4,10,5,-;Key type ~N;~N: registered \\xc3\\xa4~N\n"
		"4,11,5,-;mlx5_0: GUID ~L port gid fe80:0000:0000:0000:~L\n"},
	{"@trace",
		"tuesday-trace 1\ntrace =a =b\ninstance text =~4:80 3 2 1 5:6\n"
		"who 0 blamed =process text =~N =12 3 4\nwho 0 blamed =process text =~D =12 3 4\n"
		"who 0 blamed =peer text =~G = 3 4\nwho 0 victim =cgroup text =/~N/~D =12 3 4\n"
		"instance text =%e4%b8%ad~N%e5%9b%bd 1 2 3\nmissing =/home/~P/~N%20is%20absent\n"},
	{"@sentinels", "who 0 blamed =thread text =~N/~N =12 3 4\nmissing =~G\n"},
	{"@listen", "~4:80 0 128 1670 0 0\n[~6]:443 0 128 1670 0 0\nunix:/run/~N%20~N 0 1 2 3 4\n"},
	{"@listen-unix", "unix:/home/~P/.~N 0 1 2 3 4\nunix:@/tmp/dbus-~N 0 1 2 3 4\n"},
	{"@tcp-dctcp", "~4:9000 3 1 200 30 400 5 71\n[~6]:443 1 0 9 8 7 6 72\n"},
	{"@tcp-sending", "~4:9000 3 200 300 1 0 0 0 71\n[~6]:443 1 9 1 8 0 0 0 72\n"},
	{"@ports-~N", "1500 4711 ~4:8080\nto 10 190 4 4711 [~6]:8080\n"},
	{"@dns", "~4 0.000700 0\n~6 0.001500 5\n! ~4: connection refused\n"},
	{"@netns-list", "~N\tin ~N\n~D\t~D\ncni-~U\tcni-~U\n"},
	{"@netns-missing", "/run/netns/~N is not a namespace\n"},
	{"@openfiles", "12 5 1024 ~N ~N\n13 5 1024 ~D\n"},
	{"@socket-owner-4711", "813 ~N\n"},
	{"@socket-owner-4712", "814 ~D\n"},
	{"@dma_latency-holder", "814 ~D\n"},
	{"@traced", "tracer 2002 7 ~N\ntraced 200 50 2002 0 ~D\n"},
	{"@ethtool", "~N missing 1\n~D missing 1\n"},
	{"@qdisc-~N", "~N/mq 0 0 0 0 0 0 0\n~D/fq_codel(1:1) 0 0\n"},
	{"@gpu", "comm 12 ~N ~N\nmissing ~N: no\n"},
	{"@gpu-nvml", "missing ~N\ncomm 13 ~D\n"},
	{"@eustall", "0000:03:00.0 unable ~N (pid 5) holds it\n0000:03:00.0 kernel ~N\n"},
	{"@bpfcost", "12 ~N 5 6\n"},
	{"@plugin-mine", "tuesday-plugin 1\nexit 0\n~N ~G ~S | ~N=5;1;2\n"},
	{"@new", "~N ~4 ~6 ~M ~U ~S ~W ~G\n"},
	{"@new", "~L ~G ~G ~G ~G\n"},
	/* What only the kernel writes has no names; an address is looked for all the same. */
	{"/proc/stat", "cpu 1 2 ~4 ~6 ~M\n"},
	{"/sys/fs/cgroup/cpu.stat", "usage ~4-~4\n"},
	{"@dm", "0 thin-pool ~4 ~6\n"},
	{"/proc/net/snmp6", "Ip6 ~6\n"},
	{"@unread", "8080 ~4 ~6\n"},
};

/* Glued to something: % is the address. */
static const char *const glued[] = {"%@tcp", "tcp@%", "%-10.0.0.9", "%..%", "%_22", "gre-%", "br-%",
	"v%", "%:80", "%/24", "x%x", "eth0.%", "%.nip.io", "host-%.example", "ssh_%", "%,%",
	"=%=", "user@%", "%+%", "%.", ".%", "-%-", "::ffff:%", "64:ff9b::%", "http://u:p@%/x",
	"%#53"};

/* What must not be found, in small letters. */
struct needle {
	uint8_t bytes[64];
	size_t len;
	bool planted; /* as it stands here, and not only in what could be made of it */
};

static struct needle *needles;
static size_t n_needles, room_needles, n_planted;
static uint64_t chance = 4711;

static uint32_t draw(void)
{
	chance = chance * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(chance >> 33);
}

static void look_for(const void *bytes, size_t len, bool planted)
{
	struct needle *needle;
	size_t i;

	ARRAY_GROW(needles, n_needles, room_needles);
	needle = &needles[n_needles++];
	*needle = (struct needle){.len = len, .planted = planted};
	for (i = 0; i < len; i++)
		needle->bytes[i] = (uint8_t)tolower(((const uint8_t *)bytes)[i]);
}

static void look_for_text(const char *text, bool planted)
{
	look_for(text, strlen(text), planted);
}

static void look_for_hex(const uint8_t *bytes, size_t n, const char *between)
{
	struct str text = STR_INIT;
	size_t i;

	for (i = 0; i < n; i++)
		str_addf(&text, "%s%02x", i ? between : "", bytes[i]);
	look_for(text.text, text.len, false);
	str_free(&text);
}

/* Bytes in both orders, and as digits. */
static void look_for_bytes(const uint8_t *bytes, size_t n, size_t group)
{
	uint8_t turned[16];
	size_t i;

	for (i = 0; i < n; i++)
		turned[i] = bytes[i / group * group + group - 1 - i % group];
	look_for(bytes, n, false);
	look_for(turned, n, false);
	look_for_hex(bytes, n, "");
	look_for_hex(turned, n, "");
}

static void plant_text(struct str *out, const char *text)
{
	str_add(out, text);
	look_for_text(text, true);
	n_planted++;
}

static void plant_name(struct str *out)
{
	char text[64];
	int a[4], i;

	for (i = 0; i < 4; i++)
		a[i] = 'g' + (int)(draw() % 17);
	switch (draw() % 5) {
	case 0:
		snprintf(text, sizeof(text), "q%c%c%c%czulu", a[0], a[1], a[2], a[3]);
		break;
	case 1:
		snprintf(text, sizeof(text), "Q%c%c%c%c-%02u", a[0], a[1], a[2], a[3], draw() % 99);
		break;
	case 2:
		snprintf(text, sizeof(text), "%c%c%c%c_qzz_%u", a[0], a[1], a[2], a[3], draw() % 9);
		break;
	case 3:
		snprintf(text, sizeof(text), "memory-q%c%c%c%cz", a[0], a[1], a[2], a[3]);
		break;
	default:
		snprintf(text, sizeof(text), "q%c%c%c%c.cpu%u", a[0], a[1], a[2], a[3], draw() % 9);
	}
	plant_text(out, text);
}

static void draw_ipv4(uint8_t address[4])
{
	static const uint8_t first[] = {10, 172, 192, 203, 100, 8};
	int i;

	address[0] = first[draw() % ARRAY_SIZE(first)];
	for (i = 1; i < 4; i++)
		address[i] = (uint8_t)(1 + draw() % 254);
}

static void look_for_ipv4(const uint8_t a[4])
{
	static const char *const forms[] = {"%u.%u.%u.%u", "%u-%u-%u-%u", "%u_%u_%u_%u"};
	char text[32];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		const char c = forms[i][2];

		snprintf(text, sizeof(text), "%u%c%u%c%u%c%u", a[0], c, a[1], c, a[2], c, a[3]);
		look_for_text(text, false);
		snprintf(text, sizeof(text), "%u%c%u%c%u%c%u", a[3], c, a[2], c, a[1], c, a[0]);
		look_for_text(text, false);
	}
	snprintf(text, sizeof(text), "%u",
		(uint32_t)a[0] << 24 | (uint32_t)a[1] << 16 | (uint32_t)a[2] << 8 | a[3]);
	look_for_text(text, false);
	snprintf(text, sizeof(text), "%u",
		(uint32_t)a[3] << 24 | (uint32_t)a[2] << 16 | (uint32_t)a[1] << 8 | a[0]);
	look_for_text(text, false);
	look_for_bytes(a, 4, 4);
}

static void plant_ipv4(struct str *out, char form)
{
	uint8_t a[4];
	char text[32];
	char c = ".-_"[form == '4' ? draw() % 3 : 0];

	draw_ipv4(a);
	look_for_ipv4(a);
	if (form == 'X')
		snprintf(text, sizeof(text), "%02X%02X%02X%02X", a[3], a[2], a[1], a[0]);
	else if (form == 'Y')
		snprintf(text, sizeof(text), "%02x%02x%02x%02x", a[0], a[1], a[2], a[3]);
	else if (form == 'I')
		snprintf(text, sizeof(text), "%u",
			(uint32_t)a[0] << 24 | (uint32_t)a[1] << 16 | (uint32_t)a[2] << 8 | a[3]);
	else
		snprintf(text, sizeof(text), "%u%c%u%c%u%c%u", a[0], c, a[1], c, a[2], c, a[3]);
	plant_text(out, text);
}

static void plant_glued(struct str *out)
{
	static size_t next;
	const char *at = glued[next++ % ARRAY_SIZE(glued)];

	for (; *at; at++)
		if (*at == '%')
			plant_ipv4(out, '.');
		else
			str_addc(out, *at);
}

/* As text in four forms, with all its zeros, and the half that a card makes. */
static void look_for_ipv6(const uint8_t a[16])
{
	char text[64], half[64];
	size_t i;

	inet_ntop(AF_INET6, a, text, sizeof(text));
	look_for_text(text, false);
	for (i = 0; text[i]; i++)
		half[i] = text[i] == ':' ? '-' : text[i];
	look_for(half, i, false);
	for (i = 0; i < 8; i++)
		snprintf(half + 5 * i, 6, "%02x%02x%s", a[2 * i], a[2 * i + 1], i < 7 ? ":" : "");
	look_for_text(half, false);
	look_for_text(half + 20, false);
	look_for_bytes(a, 16, 4);
}

static void plant_ipv6(struct str *out, char form)
{
	static int which;
	uint8_t a[16] = {0x20, 0x01, 0x0d, 0xb8};
	char text[64];
	size_t i;

	for (i = which % 2 ? 10 : 4; i < 16; i++)
		a[i] = (uint8_t)(1 + draw() % 255);
	if (which % 4 == 3)
		memcpy(a, "\xfe\x80\0\0\0\0\0", 8);
	look_for_ipv6(a);
	if (form == '6')
		inet_ntop(AF_INET6, a, text, sizeof(text));
	for (i = 0; form != '6' && i < 16; i++)
		snprintf(text + 2 * i, 3, form == 'x' ? "%02X" : "%02x",
			a[form == 'x' ? i / 4 * 4 + 3 - i % 4 : i]);
	if (form == '6' && which % 3 == 1)
		for (i = 0; text[i]; i++)
			text[i] = (char)toupper((unsigned char)text[i]);
	which++;
	plant_text(out, text);
}

static void plant_card(struct str *out)
{
	static const char *const forms[] = {":", "-", ".", "_", ""};
	static size_t next;
	size_t form = next++ % 6, i;
	uint8_t a[6], eui[8];
	char text[32];

	for (i = 0; i < 6; i++)
		a[i] = (uint8_t)(0x10 + draw() % 0xe0);
	a[0] &= 0xfc;
	/* One letter at least: twelve digits may be a number. */
	a[5] |= 0x0a;
	memcpy(eui, (uint8_t[]){(uint8_t)(a[0] ^ 2), a[1], a[2], 0xff, 0xfe, a[3], a[4], a[5]}, 8);
	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		look_for_hex(a, 6, forms[i]);
		look_for_hex(eui, 8, forms[i]);
		if (*forms[i])
			look_for_hex(a + 3, 3, forms[i]);
	}
	snprintf(text, sizeof(text), "%02x%02x:%02xff:fe%02x:%02x%02x", eui[0], a[1], a[2], a[3],
		a[4], a[5]);
	look_for_text(text, false);
	snprintf(text, sizeof(text), "%02x%02x.%02x%02x.%02x%02x", a[0], a[1], a[2], a[3], a[4],
		a[5]);
	look_for_text(text, false);
	if (form < 5)
		snprintf(text, sizeof(text), "%02X%s%02X%s%02x%s%02x%s%02x%s%02x", a[0],
			forms[form], a[1], forms[form], a[2], forms[form], a[3], forms[form], a[4],
			forms[form], a[5]);
	plant_text(out, text);
}

static void plant_hex(struct str *out, char form)
{
	uint8_t a[16];
	char text[64];
	size_t i;

	for (i = 0; i < 16; i++)
		a[i] = (uint8_t)(0x10 + draw() % 0xef);
	a[3] |= 0xa0;
	switch (form) {
	case 'U':
		snprintf(text, sizeof(text),
			"%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
			a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11],
			a[12], a[13], a[14], a[15]);
		look_for_hex(a, 16, "");
		look_for_hex(a + 10, 6, "");
		break;
	case 'W':
		snprintf(text, sizeof(text), "%02x%02x%02x%02x%02x%02x%02x%02x", a[0], a[1], a[2],
			a[3], a[4], a[5], a[6], a[7]);
		look_for_hex(a, 8, ":");
		break;
	case 'L':
		snprintf(text, sizeof(text), "%02x%02x:%02x%02x:%02x%02x:%02x%02x", a[0], a[1],
			a[2], a[3], a[4], a[5], a[6], a[7]);
		look_for_hex(a, 8, "");
		break;
	default:
		snprintf(text, sizeof(text), "S%02X%02XNX%02X%u", a[0], a[1], a[2], draw() % 99999);
	}
	plant_text(out, text);
}

/* Words that stay anywhere else: nothing can be looked for but that they are gone from their line.
 */
static void plant_known(struct str *out)
{
	static const char *const known[] = {"memory", "server", "data", "node", "host", "backup"};

	str_add(out, known[draw() % ARRAY_SIZE(known)]);
}

static void plant(struct str *out, char form)
{
	char digits[16];

	if (form == 'N')
		plant_name(out);
	else if (form == 'P')
		plant_known(out);
	else if (form == '6' || form == 'x' || form == 'y')
		plant_ipv6(out, form);
	else if (form == 'G')
		plant_glued(out);
	else if (form == 'M')
		plant_card(out);
	else if (strchr("UWLS", form))
		plant_hex(out, form);
	else if (strchr("4IXY", form))
		plant_ipv4(out, form);
	if (form != 'D')
		return;
	snprintf(digits, sizeof(digits), "9%06u%u", draw() % 1000000, draw() % 10);
	plant_text(out, digits);
}

static void fill(const char *text, struct str *out)
{
	str_clear(out);
	for (; *text; text++)
		if (*text == '~')
			plant(out, *++text);
		else
			str_addc(out, *text);
}

static struct str planted = STR_INIT, redacted = STR_INIT;

static void take_file(
	const struct redactor *redactor, const char *path, const char *content, size_t len)
{
	str_addf(&planted, "%s\n", path);
	str_addn(&planted, content, len);
	redact_path(redactor, path, &redacted);
	str_addc(&redacted, '\n');
	ok(redact_content(redactor, path, content, len, &redacted), "%s is not left out", path);
}

static void plant_files(const struct redactor *redactor)
{
	struct str path = STR_INIT, content = STR_INIT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		fill(files[i].path, &path);
		fill(files[i].text, &content);
		take_file(redactor, str_text(&path), str_text(&content), content.len);
	}
	str_free(&path);
	str_free(&content);
}

/* The names in records. */
static void plant_records(const struct redactor *redactor)
{
	struct {
		char magic[4];
		uint16_t version, size;
		uint32_t cut, pad;
		struct task_record task;
	} task = {{'t', 'a', 's', 'k'}, TASK_RECORD_VERSION, sizeof(struct task_record), 0, 0, {0}};
	struct {
		char magic[4];
		uint16_t version, size;
		struct inotify_record watch;
	} watch = {
		{'i', 'n', 'o', 't'}, INOTIFY_RECORD_VERSION, sizeof(struct inotify_record), {0}};
	struct str name = STR_INIT;

	fill("~N", &name);
	memcpy(task.task.comm, name.text, name.len < 15 ? name.len : 15);
	take_file(redactor, "@task", (const char *)&task, sizeof(task));
	fill("~D", &name);
	memcpy(watch.watch.comm, name.text, name.len);
	take_file(redactor, "@inotify", (const char *)&watch, sizeof(watch));
	str_free(&name);
}

/* Which four bytes follow one another somewhere: what begins with others need not be looked for. */
static uint8_t *starts_in(const struct str *text)
{
	uint8_t *seen = mem_zalloc(1 << 24);
	size_t i;

	for (i = 0; i + 3 <= text->len; i++) {
		const uint8_t *at = (const uint8_t *)text->text + i;

		seen[(size_t)at[0] << 16 | (size_t)at[1] << 8 | at[2]] = 1;
	}
	return seen;
}

static void make_small(struct str *text)
{
	size_t i;

	for (i = 0; i < text->len; i++)
		text->text[i] = (char)tolower((unsigned char)text->text[i]);
}

/* How many needles are in a text; says some of them. */
static size_t count_found(const struct str *text, bool of_planted, bool say)
{
	uint8_t *seen = starts_in(text);
	size_t found = 0, i;

	for (i = 0; i < n_needles; i++) {
		const struct needle *needle = &needles[i];
		const uint8_t *b = needle->bytes;
		const char *at;

		if ((of_planted && !needle->planted) ||
			!seen[(size_t)b[0] << 16 | (size_t)b[1] << 8 | b[2]])
			continue;
		at = memmem(text->text, text->len, b, needle->len);
		if (!at)
			continue;
		if (say && found < 20)
			fprintf(stderr, "# %.*s in: %.60s\n", (int)needle->len, (const char *)b,
				at - (at - text->text > 30 ? 30 : at - text->text));
		found++;
	}
	free(seen);
	return found;
}

/* What everybody knows goes where it is the name of something. */
static void test_known_names(const struct redactor *redactor)
{
	static const char *const texts[][2] = {
		{"/proc/self/mountinfo",
			"1 1 0:1 / /home/memory rw - nfs4 server:/ rw,user=node\n"},
		{"/proc/self/mountinfo", "1 1 0:1 / / rw - cifs //server/ rw,username=memory\n"},
		{"/etc/resolv.conf", "search memory server\n"},
		{"/etc/hosts", "127.0.0.1 memory\n"}, {"/proc/sys/kernel/hostname", "memory\n"},
		{"@klog", "4,1,5,-;x /home/memory/data\n"}, {"@new", "memory@server\n"},
		{"/sys/class/dmi/id/product_serial", "memory\n"},
		{"@listen-unix", "unix:/home/memory/x 0 1 2 3 4\n"}};
	struct str out = STR_INIT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		str_clear(&out);
		redact_content(redactor, texts[i][0], texts[i][1], strlen(texts[i][1]), &out);
		ok(!strstr(str_text(&out), "memory") && !strstr(str_text(&out), "server") &&
				!strstr(str_text(&out), "=node"),
			"%s: %s", texts[i][0], str_text(&out));
	}
	str_free(&out);
}

int main(void)
{
	static const uint8_t key[16] = {7, 1, 2, 3};
	struct redactor *redactor = redactor_new_with_key(&known_words, key);
	size_t as_planted = 0, i;

	while (n_planted < PLANTED_MIN) {
		plant_files(redactor);
		plant_records(redactor);
	}
	for (i = 0; i < n_needles; i++)
		as_planted += needles[i].planted;
	make_small(&planted);
	make_small(&redacted);
	ok(as_planted == n_planted && n_planted >= PLANTED_MIN &&
			count_found(&planted, true, false) == n_planted,
		"%zu names, addresses and serial numbers were planted", n_planted);
	ok(!count_found(&redacted, false, true), "none of them is left, in any form of %zu",
		n_needles);
	test_known_names(redactor);
	redactor_free(redactor);
	free(needles);
	str_free(&planted);
	str_free(&redacted);
	return tap_done();
}
