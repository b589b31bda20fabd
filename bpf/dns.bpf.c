// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long does it take until a name server answers, and which one is it?
 *
 * From a question that leaves by UDP for port 53 to the answer that comes in. A resolver that gets
 * no answer asks again, the same server or the next one, from another port: whoever asks what it
 * has asked before and was not told is counted then, with the time since it asked first. So a
 * server that is silent shows, though nothing ever comes from it. The server that was asked first
 * is the one that is charged.
 *
 * A packet passes several devices on its way out of a container: what is seen again within a moment
 * is the same packet. Where addresses are translated in between, each side is measured for itself.
 *
 * Looks at every packet, and further into UDP with port 53 only. Some drivers leave the ports of a
 * large packet where no tracer can read them: such an answer has no time, and what was asked of its
 * server before it is forgotten rather than taken for unanswered. Not seen at all: questions by
 * TCP, TLS or HTTPS.
 */
#include <bpf/bpf_endian.h>

#include "trace.bpf.h"

SENTINEL(INSTANCE_NONE, "net_dev_queue and netif_receive_skb, UDP with port 53");

#define PORT_DNS 53
#define PROTOCOL_UDP 17
#define DNS_BYTES 12 /* of the header: what follows is the question */
#define DNS_IS_ANSWER 0x80
#define QUESTION_BYTES 63
/* In a packet whose IPv4 header has no options. */
#define SENDER_PORT_AT 20
#define RECEIVER_PORT_AT 22
/* Within this the same question is the same packet, at its next device. */
#define SAME_PACKET_NS 100000000

struct address {
	__u8 bytes[TRACE_NAME];
};

struct udp {
	__be16 from, to, len, check;
};

struct packet {
	struct address from, to;
	struct udp udp;
	const unsigned char *payload;
	__u32 len; /* of what can be read there */
	bool blind;
};

/* Where a question came from, which is where its answer goes to. */
struct asker {
	struct address address;
	__be16 port, id;
	__u32 pad;
};

struct question {
	struct address address; /* who asks */
	__u64 hash;		/* what */
};

struct asked {
	__u64 ns;
	struct address server; /* that was asked first */
};

/* Old ones make room: what was never answered stays behind. */
TUESDAY_MAP(askers, LRU_HASH, 4096, struct asker, struct question);

TUESDAY_MAP(questions, LRU_HASH, 4096, struct question, struct asked);

/* When something came from a server that could not be read, 0: never. */
TUESDAY_MAP(servers, LRU_HASH, 256, struct address, __u64);

static __always_inline void map_ipv4(struct address *out, const __u8 *address)
{
	out->bytes[10] = 0xff;
	out->bytes[11] = 0xff;
	__builtin_memcpy(out->bytes + 12, address, 4);
}

/* The addresses of a packet of UDP, and how long its IP header is; 0 for any other packet. */
static __always_inline __u32 parse_ip(const unsigned char *at, struct packet *out)
{
	__u8 header[40] = {};

	if (bpf_probe_read_kernel(header, 20, at))
		return 0;
	if (header[0] >> 4 == 4) {
		if (header[9] != PROTOCOL_UDP)
			return 0;
		map_ipv4(&out->from, header + 12);
		map_ipv4(&out->to, header + 16);
		return (header[0] & 15) * 4;
	}
	if (header[0] >> 4 != 6 || header[6] != PROTOCOL_UDP ||
		bpf_probe_read_kernel(header, sizeof(header), at))
		return 0;
	__builtin_memcpy(&out->from, header + 8, sizeof(out->from));
	__builtin_memcpy(&out->to, header + 24, sizeof(out->to));
	return sizeof(header);
}

/* Takes a packet of which len bytes from its IP header on can be read. False for what is not UDP.
 */
static __always_inline bool parse(const unsigned char *at, __u32 len, struct packet *out)
{
	__u32 header = len < 20 ? 0 : parse_ip(at, out);

	if (!header)
		return false;
	out->blind = len < header + sizeof(out->udp) + DNS_BYTES;
	if (out->blind)
		return true;
	out->payload = at + header + sizeof(out->udp);
	out->len = len - header - sizeof(out->udp);
	return !bpf_probe_read_kernel(&out->udp, sizeof(out->udp), at + header);
}

/* Whether it is worth a second look: of most packets these bytes tell that it is none. Where the
 * port cannot be seen yet, it may be. */
static __always_inline bool may_be_dns(const unsigned char *at, __u32 len, __u32 port_at)
{
	__u8 head[20 + 4];

	if (len < sizeof(head))
		return true;
	if (bpf_probe_read_kernel(head, sizeof(head), at))
		return false;
	if (head[0] >> 4 == 6)
		return head[6] == PROTOCOL_UDP;
	if (head[0] >> 4 != 4 || head[9] != PROTOCOL_UDP)
		return false;
	return (head[0] & 15) != 5 || *(__be16 *)(head + port_at) == bpf_htons(PORT_DNS);
}

/* The name and type that are asked for, as a number. The case of letters is no part of it, since
 * some resolvers play with that. */
static __always_inline __u64 question_hash(const struct packet *packet)
{
	__u64 words[(QUESTION_BYTES + 1) / 8] = {}, hash = 0;
	__u32 len = packet->len - DNS_BYTES, i;

	if (len > QUESTION_BYTES)
		len = QUESTION_BYTES;
	/* The bound must be seen in the very register that is used. */
	asm volatile("%0 &= 63" : "+r"(len));
	bpf_probe_read_kernel(words, len, packet->payload + DNS_BYTES);
	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		hash = (hash ^ (words[i] | 0x2020202020202020)) * 0x9e3779b97f4a7c15 + (hash >> 29);
	return hash;
}

/* How much of a packet lies at data, from there on. */
static __always_inline __u32 linear_of(const struct sk_buff *skb)
{
	return BPF_CORE_READ(skb, len) - BPF_CORE_READ(skb, data_len);
}

static __always_inline void measured(__u64 ns, const struct address *server)
{
	struct who who = {.kind = WHO_ADDRESS};
	struct hist *hist = hist_here();

	if (!hist)
		return;
	hist_add(hist, ns);
	if (ns < params.slow)
		return;
	__builtin_memcpy(who.name, server, sizeof(*server));
	charge(&who, 0, ns);
}

static __always_inline bool was_answered_blindly(const struct asked *asked)
{
	__u64 *blind = bpf_map_lookup_elem(&servers, &asked->server);

	return !blind || *blind >= asked->ns;
}

static __always_inline void sent(const unsigned char *at, __u32 len)
{
	__u64 now, never = 0;
	struct packet packet = {};
	struct question question = {};
	struct asker asker = {};
	struct asked asked = {}, *first;
	__u8 flags = 0;

	if (!parse(at, len, &packet) || packet.blind || packet.udp.to != bpf_htons(PORT_DNS))
		return;
	bpf_probe_read_kernel(&flags, sizeof(flags), packet.payload + 2);
	if (flags & DNS_IS_ANSWER)
		return;
	now = bpf_ktime_get_ns();
	question.address = asker.address = packet.from;
	question.hash = question_hash(&packet);
	asker.port = packet.udp.from;
	bpf_probe_read_kernel(&asker.id, sizeof(asker.id), packet.payload);
	bpf_map_update_elem(&servers, &packet.to, &never, BPF_NEW_ELEMENT);
	bpf_map_update_elem(&askers, &asker, &question, BPF_ANY_ELEMENT);
	first = bpf_map_lookup_elem(&questions, &question);
	if (first && !was_answered_blindly(first)) {
		if (now - first->ns > SAME_PACKET_NS)
			measured(now - first->ns, &first->server);
		return;
	}
	asked.ns = now;
	asked.server = packet.to;
	bpf_map_update_elem(&questions, &question, &asked, BPF_ANY_ELEMENT);
}

SEC("raw_tp/net_dev_queue")
int BPF_PROG(dns_sent, struct sk_buff *skb)
{
	const unsigned char *head;
	__u32 at, before, linear;

	if (!is_counting() || !within_budget())
		return 0;
	head = BPF_CORE_READ(skb, head);
	at = BPF_CORE_READ(skb, network_header);
	before = (__u32)(BPF_CORE_READ(skb, data) - head);
	linear = linear_of(skb);
	/* What lies in front of the IP header is part of len by now. */
	if (at < before || linear < at - before)
		return 0;
	linear -= at - before;
	if (may_be_dns(head + at, linear, RECEIVER_PORT_AT))
		sent(head + at, linear);
	return 0;
}

static __always_inline void received(const unsigned char *at, __u32 len)
{
	struct packet packet = {};
	struct asker asker = {};
	struct question question, *found;
	struct asked *asked;
	__u64 now, *blind;

	if (!parse(at, len, &packet))
		return;
	if (packet.blind) {
		blind = bpf_map_lookup_elem(&servers, &packet.from);
		if (blind)
			*blind = bpf_ktime_get_ns();
		return;
	}
	if (packet.udp.from != bpf_htons(PORT_DNS))
		return;
	asker.address = packet.to;
	asker.port = packet.udp.to;
	bpf_probe_read_kernel(&asker.id, sizeof(asker.id), packet.payload);
	found = bpf_map_lookup_elem(&askers, &asker);
	if (!found)
		return;
	question = *found;
	bpf_map_delete_elem(&askers, &asker);
	asked = bpf_map_lookup_elem(&questions, &question);
	if (!asked)
		return;
	now = bpf_ktime_get_ns();
	measured(now > asked->ns ? now - asked->ns : 0, &asked->server);
	bpf_map_delete_elem(&questions, &question);
}

SEC("raw_tp/netif_receive_skb")
int BPF_PROG(dns_received, struct sk_buff *skb)
{
	const unsigned char *data;
	__u32 linear;

	if (!is_counting() || !within_budget())
		return 0;
	data = BPF_CORE_READ(skb, data);
	linear = linear_of(skb);
	if (may_be_dns(data, linear, SENDER_PORT_AT))
		received(data, linear);
	return 0;
}
