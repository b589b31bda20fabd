/* SPDX-License-Identifier: GPL-2.0-only */
/* What does lib/sources/gpu/xe_uapi.h hold the driver's interface to be? As lines, which those of
 * tests/fake-xe must equal: two tellings of it that do not know of each other. */
#include "base/banned.h"

#include <stdio.h>

#include "sources/gpu/xe_uapi.h"

#define BYTES(name, type) \
	{ \
		name ".bytes", sizeof(struct type) \
	}
#define AT(name, type, field) \
	{ \
		name, offsetof(struct type, field) \
	}

static const struct {
	const char *name;
	unsigned long value;
} table[] = {
	{"ioctl.version", XE_IOCTL_VERSION},
	{"ioctl.device_query", XE_IOCTL_DEVICE_QUERY},
	{"ioctl.observation", XE_IOCTL_OBSERVATION},
	{"ioctl.enable", XE_IOCTL_STREAM_ENABLE},
	{"ioctl.disable", XE_IOCTL_STREAM_DISABLE},
	BYTES("version", drm_version_query),
	AT("version.name_len", drm_version_query, name_len),
	AT("version.name", drm_version_query, name),
	BYTES("query", xe_device_query),
	AT("query.query", xe_device_query, query),
	AT("query.size", xe_device_query, size),
	AT("query.data", xe_device_query, data),
	AT("query.reserved", xe_device_query, reserved),
	{"query.id.config", XE_QUERY_CONFIG},
	{"query.id.gt_list", XE_QUERY_GT_LIST},
	{"query.id.topology", XE_QUERY_GT_TOPOLOGY},
	{"query.id.eu_stall", XE_QUERY_EU_STALL},
	AT("config.info", xe_query_config, info),
	BYTES("gt_list", xe_query_gt_list),
	BYTES("gt", xe_gt_info),
	AT("gt.type", xe_gt_info, type),
	AT("gt.gt_id", xe_gt_info, gt_id),
	AT("gt.reference_clock", xe_gt_info, reference_clock),
	AT("gt.ip_ver_major", xe_gt_info, ip_ver_major),
	{"gt.type.main", XE_GT_MAIN},
	{"gt.type.media", XE_GT_MEDIA},
	BYTES("topology", xe_query_topology_mask),
	AT("topology.type", xe_query_topology_mask, type),
	AT("topology.num_bytes", xe_query_topology_mask, num_bytes),
	{"topology.geometry", XE_TOPOLOGY_DSS_GEOMETRY},
	{"topology.compute", XE_TOPOLOGY_DSS_COMPUTE},
	{"topology.eu", XE_TOPOLOGY_EU_PER_DSS},
	{"topology.simd16_eu", XE_TOPOLOGY_SIMD16_EU_PER_DSS},
	BYTES("stall", xe_query_eu_stall),
	AT("stall.capabilities", xe_query_eu_stall, capabilities),
	AT("stall.record_size", xe_query_eu_stall, record_size),
	AT("stall.per_xecore_buf_size", xe_query_eu_stall, per_xecore_buf_size),
	AT("stall.num_sampling_rates", xe_query_eu_stall, num_sampling_rates),
	AT("stall.sampling_rates", xe_query_eu_stall, sampling_rates),
	BYTES("param", xe_observation_param),
	AT("param.type", xe_observation_param, observation_type),
	AT("param.op", xe_observation_param, observation_op),
	AT("param.param", xe_observation_param, param),
	{"param.type.eu_stall", XE_OBSERVATION_EU_STALL},
	{"param.op.open", XE_OBSERVATION_STREAM_OPEN},
	BYTES("property", xe_set_property),
	AT("property.name", xe_set_property, name),
	AT("property.base_pad", xe_set_property, base_pad),
	AT("property.property", xe_set_property, property),
	AT("property.pad", xe_set_property, pad),
	AT("property.value", xe_set_property, value),
	AT("property.reserved", xe_set_property, reserved),
	{"property.id.gt", XE_EU_STALL_GT_ID},
	{"property.id.rate", XE_EU_STALL_SAMPLE_RATE},
	{"property.id.reports", XE_EU_STALL_WAIT_NUM_REPORTS},
};

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		printf("%s %lu\n", table[i].name, table[i].value);
	return 0;
}
