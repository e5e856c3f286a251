// Preloaded by `geak run`: hands device code to the HIP 5 runtime in a form that it can read, and
// tells the program where its device is a gfx942.
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/preload/code_check.h"
#include "emulator/preload/disguise.h"
#include "emulator/preload/next_function.h"
#include "emulator/preload/offload_bundle.h"

namespace {

using geak::emulator::Arch;
using geak::emulator::next_function;

// What the compiler emits beside a fat binary.
struct FatBinaryWrapper {
  std::uint32_t magic, version;
  const void* binary;
  void* unused;
};
constexpr std::uint32_t kWrapperMagic = 0x48495046;  // "HIPF"

// A later runtime reads all of it as it is.
bool runtime_is_hip5() {
  static const bool is = [] {
    Dl_info info{};
    const void* function = dlsym(RTLD_NEXT, "hipModuleLoadData");
    if (!function || !dladdr(function, &info) || !info.dli_fname) return false;
    return std::string_view(info.dli_fname).find("libamdhip64.so.5") != std::string_view::npos;
  }();
  return is;
}

// The device that the emulator has, where it reports another to the runtime.
Arch device() { return std::getenv("GEAK_EMU_REPORT_ARCH") ? Arch::gfx942 : Arch::gfx90a; }

// What the runtime takes each device for.
constexpr std::string_view kProcessor = "gfx90a";

// Where the runtime finds the copy; nullptr where there is none and the original will do. It keeps
// pointers: a copy is never freed.
const void* kept(std::vector<std::byte> copy) {
  return copy.empty() ? nullptr : (new std::vector<std::byte>(std::move(copy)))->data();
}

std::span<const std::byte> bytes_at(const void* image) {
  if (!image) return {};
  return {static_cast<const std::byte*>(image), geak::emulator::image_bytes(image)};
}

void report(const std::runtime_error& error) {
  std::fprintf(stderr, "geak emulator: error: device code cannot be loaded: %s\n", error.what());
}

// Calls `load` with the image to load, once it is known that the runtime can take it.
template <typename Load>
hipError_t load_disguised(const void* image, std::span<const std::byte> bytes, const Load& load) {
  if (!runtime_is_hip5()) return load(image);
  const void* copy = nullptr;
  try {
    auto changed = geak::emulator::disguise(bytes, device());
    geak::emulator::check_code(changed.empty() ? bytes : changed, kProcessor);
    copy = kept(std::move(changed));
  } catch (const geak::emulator::NoCodeForDevice& error) {
    report(error);
    return hipErrorNoBinaryForGpu;
  } catch (const std::runtime_error& error) {
    report(error);
    return hipErrorInvalidImage;
  }
  return load(copy ? copy : image);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) void** __hipRegisterFatBinary(const void* data) {
  static const auto real = next_function<void** (*)(const void*)>("__hipRegisterFatBinary");
  const auto* wrapper = static_cast<const FatBinaryWrapper*>(data);
  if (!wrapper || wrapper->magic != kWrapperMagic || !runtime_is_hip5()) return real(data);
  auto* changed = new FatBinaryWrapper(*wrapper);
  try {
    if (const void* copy = kept(geak::emulator::disguise(bytes_at(wrapper->binary), device())))
      changed->binary = copy;
  } catch (const std::runtime_error& error) {
    // The runtime would crash on it: nothing can go on from here, and no caller takes an error.
    report(error);
    std::exit(126);
  }
  return real(changed);
}

__attribute__((visibility("default"))) hipError_t hipModuleLoadData(hipModule_t* module,
                                                                    const void* image) {
  static const auto real =
      next_function<hipError_t (*)(hipModule_t*, const void*)>("hipModuleLoadData");
  return load_disguised(image, bytes_at(image),
                        [&](const void* taken) { return real(module, taken); });
}

__attribute__((visibility("default"))) hipError_t hipModuleLoadDataEx(hipModule_t* module,
                                                                      const void* image,
                                                                      unsigned int count,
                                                                      hipJitOption* options,
                                                                      void** values) {
  static const auto real =
      next_function<hipError_t (*)(hipModule_t*, const void*, unsigned int, hipJitOption*, void**)>(
          "hipModuleLoadDataEx");
  return load_disguised(image, bytes_at(image), [&](const void* taken) {
    return real(module, taken, count, options, values);
  });
}

__attribute__((visibility("default"))) hipError_t hipModuleLoad(hipModule_t* module,
                                                                const char* name) {
  static const auto real =
      next_function<hipError_t (*)(hipModule_t*, const char*)>("hipModuleLoad");
  static const auto load_data =
      next_function<hipError_t (*)(hipModule_t*, const void*)>("hipModuleLoadData");
  std::ifstream file(name ? name : "", std::ios::binary);
  if (!file) return real(module, name);  // it has the error for that
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
  return load_disguised(nullptr, std::as_bytes(std::span(bytes)), [&](const void* taken) {
    return taken ? load_data(module, taken) : real(module, name);
  });
}

__attribute__((visibility("default"))) hipError_t hipGetDeviceProperties(
    hipDeviceProp_t* properties, int index) {
  static const auto real =
      next_function<hipError_t (*)(hipDeviceProp_t*, int)>("hipGetDeviceProperties");
  const hipError_t error = real(properties, index);
  if (error != hipSuccess || device() != Arch::gfx942) return error;
  if (char* arch = std::strstr(properties->gcnArchName, "gfx90a")) {
    std::memcpy(arch, "gfx942", 6);
    properties->gcnArch = 942;
  }
  return error;
}
}
