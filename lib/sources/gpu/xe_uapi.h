/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does the Linux driver xe want to be asked, and how? As much of its interface (since 6.15) as
 * reading EU-stall records takes, told in our own words from its documentation: no header of a
 * kernel is needed to build. Source: include/uapi/drm/xe_drm.h and drm.h; sizes, offsets and
 * numbers are checked below when this is compiled.
 */
#ifndef TUESDAY_SOURCES_GPU_XE_UAPI_H
#define TUESDAY_SOURCES_GPU_XE_UAPI_H

#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>

/* ---- Of every DRM driver ---- */

struct drm_version_query {
	int32_t major, minor, patch;
	uint64_t name_len; /* room for it; the kernel puts the whole length here */
	uint64_t name;	   /* pointer; not terminated */
	uint64_t date_len, date;
	uint64_t desc_len, desc;
};

/* ---- Queries: asked first with size 0, which the kernel fills in ---- */

enum {
	XE_QUERY_CONFIG = 2,
	XE_QUERY_GT_LIST = 3,
	XE_QUERY_GT_TOPOLOGY = 5,
	XE_QUERY_EU_STALL = 10,
};

struct xe_device_query {
	uint64_t extensions; /* 0 */
	uint32_t query;
	uint32_t size;
	uint64_t data; /* pointer */
	uint64_t reserved[2];
};

enum { XE_CONFIG_REV_AND_DEVICE_ID = 0 }; /* PCI device id in the low 16 bits */

struct xe_query_config {
	uint32_t num_params;
	uint32_t pad;
	uint64_t info[];
};

enum { XE_GT_MAIN = 0, XE_GT_MEDIA = 1 };

struct xe_gt_info {
	uint16_t type;
	uint16_t tile_id;
	uint16_t gt_id;
	uint16_t pad[3];
	uint32_t reference_clock; /* Hz */
	uint64_t near_mem_regions, far_mem_regions;
	uint16_t ip_ver_major, ip_ver_minor, ip_ver_rev;
	uint16_t pad2;
	uint64_t reserved[7];
};

struct xe_query_gt_list {
	uint32_t num_gt;
	uint32_t pad;
	struct xe_gt_info gt_list[];
};

enum {
	XE_TOPOLOGY_DSS_GEOMETRY = 1,
	XE_TOPOLOGY_DSS_COMPUTE = 2,
	XE_TOPOLOGY_EU_PER_DSS = 4,
	XE_TOPOLOGY_SIMD16_EU_PER_DSS = 5,
};

/* One after the other, each as long as its mask. */
struct xe_query_topology_mask {
	uint16_t gt_id;
	uint16_t type;
	uint32_t num_bytes;
	uint8_t mask[];
};

struct xe_query_eu_stall {
	uint64_t extensions;
	uint64_t capabilities; /* bit 0: there is the basic one */
	uint64_t record_size;
	uint64_t per_xecore_buf_size; /* bytes */
	uint64_t reserved[5];
	uint64_t num_sampling_rates;
	uint64_t sampling_rates[]; /* GPU cycles between two samples, fastest first */
};

/* ---- The observation stream ---- */

enum { XE_OBSERVATION_EU_STALL = 1, XE_OBSERVATION_STREAM_OPEN = 0 };

struct xe_observation_param {
	uint64_t extensions; /* 0 */
	uint64_t observation_type;
	uint64_t observation_op;
	uint64_t param; /* pointer to the first of a chain of properties */
};

/* A property of 0 is fatal to kernels before January 2026: it is never sent. */
enum {
	XE_EU_STALL_GT_ID = 1,
	XE_EU_STALL_SAMPLE_RATE = 2,
	XE_EU_STALL_WAIT_NUM_REPORTS = 3,
};

struct xe_set_property {
	uint64_t next_extension; /* pointer, or 0 */
	uint32_t name;		 /* 0: this sets a property */
	uint32_t base_pad;
	uint32_t property;
	uint32_t pad;
	uint64_t value;
	uint64_t reserved[2];
};

#define XE_IOCTL_VERSION _IOWR('d', 0x00, struct drm_version_query)
#define XE_IOCTL_DEVICE_QUERY _IOWR('d', 0x40, struct xe_device_query)
#define XE_IOCTL_OBSERVATION _IOW('d', 0x4b, struct xe_observation_param)
/* Of a stream's descriptor. */
#define XE_IOCTL_STREAM_ENABLE _IO('i', 0x0)
#define XE_IOCTL_STREAM_DISABLE _IO('i', 0x1)

/* As the documentation has them in numbers: two tellings that must agree. */
#define XE_CHECK_SIZE(type, bytes) _Static_assert(sizeof(struct type) == (bytes), #type)
#define XE_CHECK_AT(type, field, at) \
	_Static_assert(offsetof(struct type, field) == (at), #type "." #field)

_Static_assert(XE_IOCTL_VERSION == 0xc0406400, "VERSION");
_Static_assert(XE_IOCTL_DEVICE_QUERY == 0xc0286440, "DEVICE_QUERY");
_Static_assert(XE_IOCTL_OBSERVATION == 0x4020644b, "OBSERVATION");
_Static_assert(XE_IOCTL_STREAM_ENABLE == 0x6900, "ENABLE");
_Static_assert(XE_IOCTL_STREAM_DISABLE == 0x6901, "DISABLE");

XE_CHECK_SIZE(drm_version_query, 64);
XE_CHECK_AT(drm_version_query, name_len, 16);
XE_CHECK_AT(drm_version_query, name, 24);
XE_CHECK_SIZE(xe_device_query, 40);
XE_CHECK_AT(xe_device_query, query, 8);
XE_CHECK_AT(xe_device_query, size, 12);
XE_CHECK_AT(xe_device_query, data, 16);
XE_CHECK_AT(xe_device_query, reserved, 24);
XE_CHECK_AT(xe_query_config, info, 8);
XE_CHECK_SIZE(xe_query_gt_list, 8);
XE_CHECK_SIZE(xe_gt_info, 96);
XE_CHECK_AT(xe_gt_info, tile_id, 2);
XE_CHECK_AT(xe_gt_info, gt_id, 4);
XE_CHECK_AT(xe_gt_info, reference_clock, 12);
XE_CHECK_AT(xe_gt_info, near_mem_regions, 16);
XE_CHECK_AT(xe_gt_info, far_mem_regions, 24);
XE_CHECK_AT(xe_gt_info, ip_ver_major, 32);
XE_CHECK_AT(xe_gt_info, ip_ver_minor, 34);
XE_CHECK_AT(xe_gt_info, ip_ver_rev, 36);
XE_CHECK_AT(xe_gt_info, reserved, 40);
XE_CHECK_SIZE(xe_query_topology_mask, 8);
XE_CHECK_AT(xe_query_topology_mask, type, 2);
XE_CHECK_AT(xe_query_topology_mask, num_bytes, 4);
XE_CHECK_SIZE(xe_query_eu_stall, 80);
XE_CHECK_AT(xe_query_eu_stall, capabilities, 8);
XE_CHECK_AT(xe_query_eu_stall, record_size, 16);
XE_CHECK_AT(xe_query_eu_stall, per_xecore_buf_size, 24);
XE_CHECK_AT(xe_query_eu_stall, reserved, 32);
XE_CHECK_AT(xe_query_eu_stall, num_sampling_rates, 72);
XE_CHECK_AT(xe_query_eu_stall, sampling_rates, 80);
XE_CHECK_SIZE(xe_observation_param, 32);
XE_CHECK_AT(xe_observation_param, observation_type, 8);
XE_CHECK_AT(xe_observation_param, observation_op, 16);
XE_CHECK_AT(xe_observation_param, param, 24);
XE_CHECK_SIZE(xe_set_property, 48);
XE_CHECK_AT(xe_set_property, name, 8);
XE_CHECK_AT(xe_set_property, property, 16);
XE_CHECK_AT(xe_set_property, pad, 20);
XE_CHECK_AT(xe_set_property, value, 24);
XE_CHECK_AT(xe_set_property, reserved, 32);

#endif
