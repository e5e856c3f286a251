// A kernel from a few lines of assembly, run without a runtime around it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "emulator/wave/dispatch.h"
#include "tests/emulator/isa/assembler.h"

namespace geak::emulator::testing {

// Kernels of 64 VGPRs with the address of the kernarg segment in s[0:1] and the workgroup's id in
// s2. `source` lacks its s_endpgm.
inline DispatchResult run_small_kernel(const DeviceDescription& device, const std::string& source,
                                       std::uint64_t kernarg, std::uint32_t workgroups,
                                       std::uint32_t work_items, std::uint32_t lds,
                                       unsigned threads) {
  const Assembled assembled = assemble(device.arch, source + "s_endpgm\n");
  EXPECT_EQ(assembled.error, "");
  std::byte descriptor[64] = {};
  const auto put = [&](unsigned offset, std::uint32_t word) {
    std::memcpy(descriptor + offset, &word, sizeof word);
  };
  put(8, 64);                           // bytes of the kernarg segment
  put(44, 15);                          // RSRC3: accumulation registers from 64 on
  put(48, 7 | 0xf0u << 12 | 1u << 23);  // RSRC1: VGPRs, denormals kept, IEEE
  put(52, 2u << 1 | 1u << 7);           // RSRC2: two user SGPRs, workgroup id X
  put(56, 1u << 3);                     // the kernarg pointer
  const auto code = std::make_shared<LoadedCode>();
  code->arch = device.arch;
  code->executable = {{assembled.text.data(), assembled.text.data() + assembled.text.size()}};
  KernelDispatch dispatch;
  dispatch.code = code;
  dispatch.device = &device;
  dispatch.kernel_name = "small";
  dispatch.descriptor = descriptor;
  dispatch.entry = reinterpret_cast<std::uint64_t>(assembled.text.data());
  dispatch.kernarg_address = kernarg;
  dispatch.grid = {workgroups * work_items, 1, 1};
  dispatch.workgroup = {work_items, 1, 1};
  dispatch.group_segment_bytes = lds;
  return make_executor(device, threads)->run(dispatch);
}

}  // namespace geak::emulator::testing
