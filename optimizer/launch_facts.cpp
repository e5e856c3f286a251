#include "optimizer/launch_facts.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "clang-tool/kernel_finder.h"

namespace geak::optimizer {
namespace {

const clang::FunctionDecl& declaration_of(const MarkedKernel& kernel) {
  for (const auto* written : clang_tool::find_kernels(*kernel.unit)) {
    if (clang_tool::device_symbol(*written) == kernel.instantiation.symbol) return *written;
    for (const auto* instance : clang_tool::instantiations_of(*written))
      if (clang_tool::device_symbol(*instance) == kernel.instantiation.symbol) return *instance;
  }
  throw std::runtime_error("the unit of " + kernel.command.file + " has no kernel " +
                           kernel.instantiation.symbol);
}

// Little-endian, as the device writes it.
std::int64_t integer_at(std::span<const std::uint8_t> bytes, bool is_signed) {
  std::uint64_t value = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) value |= std::uint64_t{bytes[at]} << (8 * at);
  const auto bits = static_cast<unsigned>(8 * bytes.size());
  if (is_signed && bits < 64) return llvm::SignExtend64(value, bits);
  return static_cast<std::int64_t>(value);
}

}  // namespace

std::vector<std::optional<std::int64_t>> argument_values(const MarkedKernel& kernel,
                                                         std::span<const std::uint8_t> kernarg) {
  const auto& context = kernel.unit->context();
  std::vector<std::optional<std::int64_t>> values;
  std::uint64_t offset = 0;
  for (const auto* parameter : declaration_of(kernel).parameters()) {
    const auto type = parameter->getType().getCanonicalType();
    const auto size = static_cast<std::uint64_t>(context.getTypeSizeInChars(type).getQuantity());
    const auto align = static_cast<std::uint64_t>(context.getTypeAlignInChars(type).getQuantity());
    offset = llvm::alignTo(offset, std::max<std::uint64_t>(align, 1));
    const bool is_value = type->isIntegralOrEnumerationType() || type->isPointerType();
    if (is_value && size <= 8 && offset + size <= kernarg.size())
      values.push_back(
          integer_at(kernarg.subspan(offset, size), type->isSignedIntegerOrEnumerationType()));
    else
      values.push_back(std::nullopt);
    offset += size;
  }
  return values;
}

std::vector<clang_tool::transforms::SeenLaunch> seen_launches(
    const MarkedKernel& kernel, const replay::ArchiveReader& archive) {
  std::vector<clang_tool::transforms::SeenLaunch> all;
  for (const auto& record : archive.launches()) {
    if (record.kernel != kernel.instantiation.symbol) continue;
    clang_tool::transforms::SeenLaunch seen;
    for (int axis = 0; axis < 3; ++axis) {
      seen.launch.block[axis] = std::max(record.block[axis], 1u);
      seen.launch.grid[axis] =
          (record.grid[axis] + seen.launch.block[axis] - 1) / seen.launch.block[axis];
    }
    seen.launch.dynamic_lds = record.dynamic_lds;
    seen.arguments = argument_values(kernel, record.kernarg);
    const bool known = std::any_of(all.begin(), all.end(), [&](const auto& other) {
      return other.launch == seen.launch && other.arguments == seen.arguments;
    });
    if (!known) all.push_back(std::move(seen));
  }
  return all;
}

std::vector<clang_tool::transforms::SeenLaunch> seen_launches(const MarkedKernel& kernel,
                                                              const nlohmann::json& launches) {
  std::vector<clang_tool::transforms::SeenLaunch> all;
  for (const auto& one : launches) {
    const std::string kernarg = llvm::fromHex(one.at("kernarg").get<std::string>());
    clang_tool::transforms::SeenLaunch launch;
    one.at("launch").get_to(launch.launch);
    launch.arguments = argument_values(
        kernel, {reinterpret_cast<const std::uint8_t*>(kernarg.data()), kernarg.size()});
    all.push_back(std::move(launch));
  }
  return all;
}

}  // namespace geak::optimizer
