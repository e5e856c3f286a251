// Preloaded by `geak run --arch gfx942`: hands gfx942 code objects to the HIP runtime as gfx90a,
// and tells the program that its device is a gfx942.
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "emulator/preload/disguise.h"
#include "emulator/preload/next_function.h"

namespace {

using geak::emulator::disguise_gfx942;
using geak::emulator::image_bytes;
using geak::emulator::next_function;

// What the compiler emits beside a fat binary.
struct FatBinaryWrapper {
  std::uint32_t magic, version;
  const void* binary;
  void* unused;
};
constexpr std::uint32_t kWrapperMagic = 0x48495046;  // "HIPF"

// The disguised copy, or what was given. Copies are never freed: the runtime keeps pointers.
const void* disguised(const void* image) {
  if (!image) return image;
  const std::size_t bytes = image_bytes(image);
  if (bytes == 0) return image;
  auto copy = disguise_gfx942({static_cast<const std::byte*>(image), bytes});
  if (copy.empty()) return image;
  return (new std::vector<std::byte>(std::move(copy)))->data();
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) void** __hipRegisterFatBinary(const void* data) {
  static const auto real = next_function<void** (*)(const void*)>("__hipRegisterFatBinary");
  const auto* wrapper = static_cast<const FatBinaryWrapper*>(data);
  if (!wrapper || wrapper->magic != kWrapperMagic) return real(data);
  auto* changed = new FatBinaryWrapper(*wrapper);
  changed->binary = disguised(wrapper->binary);
  return real(changed);
}

__attribute__((visibility("default"))) hipError_t hipModuleLoadData(hipModule_t* module,
                                                                    const void* image) {
  static const auto real =
      next_function<hipError_t (*)(hipModule_t*, const void*)>("hipModuleLoadData");
  return real(module, disguised(image));
}

__attribute__((visibility("default"))) hipError_t hipModuleLoadDataEx(hipModule_t* module,
                                                                      const void* image,
                                                                      unsigned int count,
                                                                      hipJitOption* options,
                                                                      void** values) {
  static const auto real =
      next_function<hipError_t (*)(hipModule_t*, const void*, unsigned int, hipJitOption*, void**)>(
          "hipModuleLoadDataEx");
  return real(module, disguised(image), count, options, values);
}

__attribute__((visibility("default"))) hipError_t hipModuleLoad(hipModule_t* module,
                                                                const char* name) {
  static const auto real =
      next_function<hipError_t (*)(hipModule_t*, const char*)>("hipModuleLoad");
  std::ifstream file(name ? name : "", std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
  auto copy = disguise_gfx942(std::as_bytes(std::span(bytes)));
  if (copy.empty()) return real(module, name);
  return hipModuleLoadData(module, (new std::vector<std::byte>(std::move(copy)))->data());
}

__attribute__((visibility("default"))) hipError_t
hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
  static const auto real =
      next_function<hipError_t (*)(hipDeviceProp_t*, int)>("hipGetDeviceProperties");
  const hipError_t error = real(properties, device);
  if (error != hipSuccess) return error;
  if (char* arch = std::strstr(properties->gcnArchName, "gfx90a")) {
    std::memcpy(arch, "gfx942", 6);
    properties->gcnArch = 942;
  }
  return error;
}
}
