// What an emulated GPU doesn't offer: images and samplers, graphics interoperability, sharing
// between processes, shared virtual memory with page faults, the HSAIL finalizer. HIP turns the
// answers into its own 'not supported' errors.
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_image.h>

namespace {

const auto kNoImages = static_cast<hsa_status_t>(HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED);

}  // namespace

extern "C" {

hsa_status_t hsa_ext_image_get_capability(hsa_agent_t, hsa_ext_image_geometry_t,
                                          const hsa_ext_image_format_t*, uint32_t* mask) {
  if (mask) *mask = 0;
  return mask ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}
hsa_status_t hsa_ext_image_get_capability_with_layout(hsa_agent_t, hsa_ext_image_geometry_t,
                                                      const hsa_ext_image_format_t*,
                                                      hsa_ext_image_data_layout_t, uint32_t* mask) {
  if (mask) *mask = 0;
  return mask ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}
hsa_status_t hsa_ext_image_data_get_info(hsa_agent_t, const hsa_ext_image_descriptor_t*,
                                         hsa_access_permission_t, hsa_ext_image_data_info_t*) {
  return kNoImages;
}
hsa_status_t hsa_ext_image_data_get_info_with_layout(hsa_agent_t, const hsa_ext_image_descriptor_t*,
                                                     hsa_access_permission_t,
                                                     hsa_ext_image_data_layout_t, size_t, size_t,
                                                     hsa_ext_image_data_info_t*) {
  return kNoImages;
}
hsa_status_t hsa_ext_image_create(hsa_agent_t, const hsa_ext_image_descriptor_t*, const void*,
                                  hsa_access_permission_t, hsa_ext_image_t*) {
  return kNoImages;
}
hsa_status_t hsa_ext_image_create_with_layout(hsa_agent_t, const hsa_ext_image_descriptor_t*,
                                              const void*, hsa_access_permission_t,
                                              hsa_ext_image_data_layout_t, size_t, size_t,
                                              hsa_ext_image_t*) {
  return kNoImages;
}
hsa_status_t hsa_amd_image_create(hsa_agent_t, const hsa_ext_image_descriptor_t*,
                                  const hsa_amd_image_descriptor_t*, const void*,
                                  hsa_access_permission_t, hsa_ext_image_t*) {
  return kNoImages;
}
hsa_status_t hsa_amd_image_get_info_max_dim(hsa_agent_t, hsa_agent_info_t, void*) {
  return kNoImages;
}
hsa_status_t hsa_ext_image_destroy(hsa_agent_t, hsa_ext_image_t) { return kNoImages; }
hsa_status_t hsa_ext_image_copy(hsa_agent_t, hsa_ext_image_t, const hsa_dim3_t*, hsa_ext_image_t,
                                const hsa_dim3_t*, const hsa_dim3_t*) {
  return kNoImages;
}
hsa_status_t hsa_ext_image_import(hsa_agent_t, const void*, size_t, size_t, hsa_ext_image_t,
                                  const hsa_ext_image_region_t*) {
  return kNoImages;
}
hsa_status_t hsa_ext_image_export(hsa_agent_t, hsa_ext_image_t, void*, size_t, size_t,
                                  const hsa_ext_image_region_t*) {
  return kNoImages;
}
hsa_status_t hsa_ext_image_clear(hsa_agent_t, hsa_ext_image_t, const void*,
                                 const hsa_ext_image_region_t*) {
  return kNoImages;
}
hsa_status_t hsa_ext_sampler_create(hsa_agent_t, const hsa_ext_sampler_descriptor_t*,
                                    hsa_ext_sampler_t*) {
  return kNoImages;
}
hsa_status_t hsa_ext_sampler_destroy(hsa_agent_t, hsa_ext_sampler_t) { return kNoImages; }

hsa_status_t hsa_amd_interop_map_buffer(uint32_t, hsa_agent_t*, int, uint32_t, size_t*, void**,
                                        size_t*, const void**) {
  return HSA_STATUS_ERROR;
}
hsa_status_t hsa_amd_interop_unmap_buffer(void*) { return HSA_STATUS_ERROR; }

hsa_status_t hsa_amd_ipc_memory_create(void*, size_t, hsa_amd_ipc_memory_t*) {
  return HSA_STATUS_ERROR;
}
hsa_status_t hsa_amd_ipc_memory_attach(const hsa_amd_ipc_memory_t*, size_t, uint32_t,
                                       const hsa_agent_t*, void**) {
  return HSA_STATUS_ERROR;
}
hsa_status_t hsa_amd_ipc_memory_detach(void*) { return HSA_STATUS_ERROR; }
hsa_status_t hsa_amd_ipc_signal_create(hsa_signal_t, hsa_amd_ipc_signal_t*) {
  return HSA_STATUS_ERROR;
}
hsa_status_t hsa_amd_ipc_signal_attach(const hsa_amd_ipc_signal_t*, hsa_signal_t*) {
  return HSA_STATUS_ERROR;
}
}
