/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does the kernel's own header say of the interface, where one is installed that knows EU
 * stalls (Linux 6.15, libdrm 2.4.125)? The same lines as tests/fake-xe --abi and
 * tests/faults/lib/xeabi.c have; the exit status is 77, with the reason, where there is none.
 */
#include <stddef.h>
#include <stdio.h>

#if __has_include(<drm/xe_drm.h>)
#include <drm/xe_drm.h>
#elif __has_include(<libdrm/xe_drm.h>)
#include <libdrm/xe_drm.h>
#endif

#ifdef DRM_XE_DEVICE_QUERY_EU_STALL
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
	{"ioctl.version", DRM_IOCTL_VERSION},
	{"ioctl.device_query", DRM_IOCTL_XE_DEVICE_QUERY},
	{"ioctl.observation", DRM_IOCTL_XE_OBSERVATION},
	{"ioctl.enable", DRM_XE_OBSERVATION_IOCTL_ENABLE},
	{"ioctl.disable", DRM_XE_OBSERVATION_IOCTL_DISABLE},
	BYTES("version", drm_version),
	AT("version.name_len", drm_version, name_len),
	AT("version.name", drm_version, name),
	BYTES("query", drm_xe_device_query),
	AT("query.query", drm_xe_device_query, query),
	AT("query.size", drm_xe_device_query, size),
	AT("query.data", drm_xe_device_query, data),
	AT("query.reserved", drm_xe_device_query, reserved),
	{"query.id.config", DRM_XE_DEVICE_QUERY_CONFIG},
	{"query.id.gt_list", DRM_XE_DEVICE_QUERY_GT_LIST},
	{"query.id.topology", DRM_XE_DEVICE_QUERY_GT_TOPOLOGY},
	{"query.id.eu_stall", DRM_XE_DEVICE_QUERY_EU_STALL},
	AT("config.info", drm_xe_query_config, info),
	BYTES("gt_list", drm_xe_query_gt_list),
	BYTES("gt", drm_xe_gt),
	AT("gt.type", drm_xe_gt, type),
	AT("gt.gt_id", drm_xe_gt, gt_id),
	AT("gt.reference_clock", drm_xe_gt, reference_clock),
	AT("gt.ip_ver_major", drm_xe_gt, ip_ver_major),
	{"gt.type.main", DRM_XE_QUERY_GT_TYPE_MAIN},
	{"gt.type.media", DRM_XE_QUERY_GT_TYPE_MEDIA},
	BYTES("topology", drm_xe_query_topology_mask),
	AT("topology.type", drm_xe_query_topology_mask, type),
	AT("topology.num_bytes", drm_xe_query_topology_mask, num_bytes),
	{"topology.geometry", DRM_XE_TOPO_DSS_GEOMETRY},
	{"topology.compute", DRM_XE_TOPO_DSS_COMPUTE},
	{"topology.eu", DRM_XE_TOPO_EU_PER_DSS},
	{"topology.simd16_eu", DRM_XE_TOPO_SIMD16_EU_PER_DSS},
	BYTES("stall", drm_xe_query_eu_stall),
	AT("stall.capabilities", drm_xe_query_eu_stall, capabilities),
	AT("stall.record_size", drm_xe_query_eu_stall, record_size),
	AT("stall.per_xecore_buf_size", drm_xe_query_eu_stall, per_xecore_buf_size),
	AT("stall.num_sampling_rates", drm_xe_query_eu_stall, num_sampling_rates),
	AT("stall.sampling_rates", drm_xe_query_eu_stall, sampling_rates),
	BYTES("param", drm_xe_observation_param),
	AT("param.type", drm_xe_observation_param, observation_type),
	AT("param.op", drm_xe_observation_param, observation_op),
	AT("param.param", drm_xe_observation_param, param),
	{"param.type.eu_stall", DRM_XE_OBSERVATION_TYPE_EU_STALL},
	{"param.op.open", DRM_XE_OBSERVATION_OP_STREAM_OPEN},
	BYTES("property", drm_xe_ext_set_property),
	AT("property.name", drm_xe_ext_set_property, base.name),
	AT("property.base_pad", drm_xe_ext_set_property, base.pad),
	AT("property.property", drm_xe_ext_set_property, property),
	AT("property.pad", drm_xe_ext_set_property, pad),
	AT("property.value", drm_xe_ext_set_property, value),
	AT("property.reserved", drm_xe_ext_set_property, reserved),
	{"property.id.gt", DRM_XE_EU_STALL_PROP_GT_ID},
	{"property.id.rate", DRM_XE_EU_STALL_PROP_SAMPLE_RATE},
	{"property.id.reports", DRM_XE_EU_STALL_PROP_WAIT_NUM_REPORTS},
};

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		printf("%s %lu\n", table[i].name, table[i].value);
	return 0;
}
#else
int main(void)
{
	printf("no drm/xe_drm.h that has EU stalls was installed when this was built\n");
	return 77;
}
#endif
