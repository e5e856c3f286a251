// Machine code of hostile bytes, executed by one wave: whatever it does to addresses and registers,
// the wave must end, fault or use up its turns, and touch no memory but what was given to the GPU.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "emulator/memory/page_map.h"
#include "emulator/model/counters.h"
#include "emulator/wave/dispatch.h"

namespace {

using namespace geak::emulator;

// A page with the kernel's arguments, which is all the memory that it may use.
struct Memory {
  static constexpr std::size_t kPage = 4096;
  alignas(kPage) std::byte bytes[kPage] = {};
  Memory() { PageMap::instance().add(reinterpret_cast<std::uint64_t>(bytes), kPage); }
};

void put(std::byte (&descriptor)[64], unsigned offset, std::uint32_t word) {
  for (unsigned n = 0; n < 4; ++n) descriptor[offset + n] = static_cast<std::byte>(word >> 8 * n);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  setenv("GEAK_EMU_TIMEOUT", "0.2", 1);  // endless loops are legal
  return 0;
}

// The first byte chooses the target; the text follows.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 5) return 0;
  static Memory memory;
  const DeviceDescription* device = find_device(data[0] & 1 ? "MI300A" : "MI210");
  static const auto executors = [] {
    std::vector<std::unique_ptr<Executor>> both;
    both.push_back(make_executor(*find_device("MI210"), 1));
    both.push_back(make_executor(*find_device("MI300A"), 1));
    return both;
  }();
  std::vector<std::uint8_t> text(data + 1, data + size);
  text.resize(text.size() / 4 * 4);
  const auto bytes = std::as_bytes(std::span(text));
  const auto code = std::make_shared<LoadedCode>();
  code->arch = device->arch;
  code->executable = {{bytes.data(), bytes.data() + bytes.size()}};
  std::byte descriptor[64] = {};
  put(descriptor, 44, 15);                          // RSRC3: accumulation registers from 64 on
  put(descriptor, 48, 7 | 0xf0u << 12 | 1u << 23);  // RSRC1: VGPRs, denormals kept, IEEE
  put(descriptor, 52, 2u << 1 | 1u << 7);           // RSRC2: two user SGPRs, workgroup id X
  put(descriptor, 56, 1u << 3);                     // the kernarg pointer
  KernelDispatch dispatch;
  dispatch.code = code;
  dispatch.device = device;
  dispatch.kernel_name = "fuzzed";
  dispatch.descriptor = descriptor;
  dispatch.entry = reinterpret_cast<std::uint64_t>(bytes.data());
  dispatch.kernarg_address = reinterpret_cast<std::uint64_t>(memory.bytes);
  dispatch.grid = dispatch.workgroup = {64, 1, 1};
  dispatch.private_segment_bytes = 64;
  dispatch.group_segment_bytes = 256;
  executors[data[0] & 1]->run(dispatch);
  return 0;
}
