// What the record says of a kernel's launches, in the terms of the source.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <vector>

#include "clang-tool/transforms/transform.h"
#include "optimizer/marked_kernels.h"
#include "replay/archive/reader.h"

namespace geak::optimizer {

// Values of the explicit arguments in `kernarg`, by position: of integers, enumerations and bools
// the value, of pointers the address, nothing for the rest or where the bytes end. Offsets are
// those of the device's own layout of the parameters.
std::vector<std::optional<std::int64_t>> argument_values(const MarkedKernel& kernel,
                                                         std::span<const std::uint8_t> kernarg);

// The distinct recorded launches of the kernel, the order of the record kept.
std::vector<clang_tool::transforms::SeenLaunch> seen_launches(const MarkedKernel& kernel,
                                                              const replay::ArchiveReader& archive);

// The launches of a worker's result, `launches` of a kernel there (docs/schemas.md). Throws
// nlohmann::json::exception where they are none.
std::vector<clang_tool::transforms::SeenLaunch> seen_launches(const MarkedKernel& kernel,
                                                              const nlohmann::json& launches);

}  // namespace geak::optimizer
