/* SPDX-License-Identifier: GPL-2.0-only */
/* How do bytes get to the target and back, without ever waiting for it here? */
#include "base/banned.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/keepalive/conn.h"
#include "tools/keepalive/target.h"
#include "sys/url.h"

static const unsigned char alpn[] = "\x08http/1.1";

int dialer_open(struct dialer *dialer, const struct target *target, bool verify)
{
	*dialer = (struct dialer){.target = target, .verify = verify};
	if (!target->url->tls)
		return 0;
	dialer->tls = SSL_CTX_new(TLS_client_method());
	if (!dialer->tls)
		return -ENOMEM;
	SSL_CTX_set_mode(
		dialer->tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	SSL_CTX_set_alpn_protos(dialer->tls, alpn, sizeof(alpn) - 1);
	/* Many servers end so, and the length of an answer is checked anyway. */
	SSL_CTX_set_options(dialer->tls, SSL_OP_IGNORE_UNEXPECTED_EOF);
	SSL_CTX_set_default_verify_paths(dialer->tls);
	/* Without it the handshake goes on, and the result is there all the same. */
	if (verify)
		SSL_CTX_set_verify(dialer->tls, SSL_VERIFY_PEER, NULL);
	return 0;
}

void dialer_close(struct dialer *dialer)
{
	SSL_CTX_free(dialer->tls);
	dialer->tls = NULL;
}

/* What the library says, which is the only text that tells an expired certificate from a server
 * that speaks no TLS. */
static int tls_error(struct conn *conn, struct dialer *dialer, int result)
{
	const int code = SSL_get_error(conn->tls, result);
	const unsigned long error = ERR_get_error();
	const char *reason = error ? ERR_reason_error_string(error) : NULL;
	const long verify = dialer->verify ? SSL_get_verify_result(conn->tls) : X509_V_OK;

	ERR_clear_error();
	if (code == SSL_ERROR_WANT_READ || code == SSL_ERROR_WANT_WRITE)
		return -EAGAIN;
	if (code == SSL_ERROR_ZERO_RETURN)
		return 0;
	if (code == SSL_ERROR_SYSCALL)
		return errno ? -errno : -ECONNRESET;
	/* What an answer in clear looks like to TLS. */
	if (ERR_GET_REASON(error) == SSL_R_WRONG_VERSION_NUMBER)
		reason = "the server does not speak TLS: try http://";
	if (verify != X509_V_OK)
		reason = X509_verify_cert_error_string(verify);
	snprintf(dialer->error, sizeof(dialer->error), "%s", reason ? reason : "TLS failed");
	return -EPROTO;
}

static bool conn_is_address(const char *host)
{
	return strchr(host, ':') || !host[strspn(host, "0123456789.")];
}

static int begin_tls(struct conn *conn, struct dialer *dialer)
{
	const char *host = dialer->target->url->host;

	conn->tls = SSL_new(dialer->tls);
	if (!conn->tls || !SSL_set_fd(conn->tls, conn->fd))
		return -ENOMEM;
	if (conn_is_address(host)) {
		X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(conn->tls), host);
	} else {
		SSL_set_tlsext_host_name(conn->tls, host);
		SSL_set1_host(conn->tls, host);
	}
	conn->step = CONN_HANDSHAKE;
	return 0;
}

int conn_dial(struct conn *conn, struct dialer *dialer)
{
	const struct sockaddr_storage *address = &dialer->target->address;
	const int on = 1;
	int err = 0;

	*conn = (struct conn){.step = CONN_CONNECTING};
	conn->fd = socket(address->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (conn->fd < 0)
		err = -errno;
	else if (address->ss_family != AF_UNIX &&
		(setsockopt(conn->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) < 0 ||
			setsockopt(conn->fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)) < 0))
		err = -errno;
	else if (connect(conn->fd, (const struct sockaddr *)address, dialer->target->address_len) <
			0 &&
		errno != EINPROGRESS)
		/* A Unix socket whose queue is full says EAGAIN: there is nothing to wait for. */
		err = errno == EAGAIN ? -ECONNREFUSED : -errno;
	if (err)
		conn_close(conn);
	return err;
}

static void note_trust(struct conn *conn, struct dialer *dialer)
{
	const long result = SSL_get_verify_result(conn->tls);

	if (result != X509_V_OK && !*dialer->untrusted)
		snprintf(dialer->untrusted, sizeof(dialer->untrusted), "%s",
			X509_verify_cert_error_string(result));
}

int conn_advance(struct conn *conn, struct dialer *dialer)
{
	socklen_t len = sizeof(int);
	int err = 0, result;

	if (conn->step == CONN_CONNECTING) {
		if (getsockopt(conn->fd, SOL_SOCKET, SO_ERROR, &err, &len) < 0)
			return -errno;
		if (err)
			return -err;
		conn->step = CONN_OPEN;
		if (dialer->tls)
			err = begin_tls(conn, dialer);
		if (err)
			return err;
	}
	if (conn->step == CONN_OPEN)
		return 1;
	result = SSL_connect(conn->tls);
	if (result == 1) {
		note_trust(conn, dialer);
		conn->step = CONN_OPEN;
		return 1;
	}
	err = tls_error(conn, dialer, result);
	if (err == -EAGAIN)
		return 0;
	return err ? err : -ECONNRESET;
}

ssize_t conn_send(struct conn *conn, struct dialer *dialer, const void *data, size_t len)
{
	size_t sent;
	ssize_t n;
	int result;

	if (!conn->tls) {
		n = send(conn->fd, data, len, MSG_NOSIGNAL);
		return n < 0 ? -errno : n;
	}
	result = SSL_write_ex(conn->tls, data, len, &sent);
	if (result == 1)
		return (ssize_t)sent;
	result = tls_error(conn, dialer, result);
	return result ? result : -EPIPE;
}

static ssize_t receive_clear(struct conn *conn, void *data, size_t len, uint64_t *arrived_ns)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(struct timespec))];
	} control;
	struct iovec part = {data, len};
	struct msghdr message = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control)};
	const ssize_t n = recvmsg(conn->fd, &message, 0);
	const struct cmsghdr *first = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	struct timespec when;

	if (n < 0)
		return -errno;
	if (first && first->cmsg_level == SOL_SOCKET && first->cmsg_type == SCM_TIMESTAMPNS) {
		memcpy(&when, CMSG_DATA(first), sizeof(when));
		*arrived_ns = (uint64_t)when.tv_sec * 1000000000 + (uint64_t)when.tv_nsec;
	}
	return n;
}

ssize_t conn_receive(
	struct conn *conn, struct dialer *dialer, void *data, size_t len, uint64_t *arrived_ns)
{
	size_t received;
	int result;

	*arrived_ns = 0;
	if (!conn->tls)
		return receive_clear(conn, data, len, arrived_ns);
	result = SSL_read_ex(conn->tls, data, len, &received);
	return result == 1 ? (ssize_t)received : tls_error(conn, dialer, result);
}

void conn_close(struct conn *conn)
{
	if (conn->tls) {
		if (conn->step == CONN_OPEN)
			SSL_shutdown(conn->tls);
		ERR_clear_error();
		SSL_free(conn->tls);
	}
	if (conn->fd >= 0)
		close(conn->fd);
	*conn = (struct conn){.step = CONN_CLOSED, .fd = -1};
}
