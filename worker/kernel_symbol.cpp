#include "worker/kernel_symbol.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "replay/code_object/elf.h"

namespace geak::worker {
namespace {

// "_ZN6detail4scanILi4EEEvPf" is {"detail", "scan"} and "ILi4EEEvPf" (Itanium C++ ABI, 5.1.2).
struct Mangled {
  std::vector<std::string> components;  // unnamed namespaces as ""
  std::string rest;
};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

Mangled parse(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return {{symbol}, ""};
  const bool nested = symbol.starts_with("_ZN");
  std::size_t at = nested ? 3 : 2;
  Mangled mangled;
  while (at < symbol.size()) {
    if (symbol[at] == 'L') ++at;  // internal linkage
    std::size_t end = at;
    while (end < symbol.size() && is_digit(symbol[end]) && end - at < 4) ++end;
    if (end == at) break;
    const std::size_t length = std::stoul(symbol.substr(at, end - at));
    if (end + length > symbol.size()) break;
    const auto component = symbol.substr(end, length);
    mangled.components.push_back(component.find("_GLOBAL__N_") == std::string::npos ? component
                                                                                    : "");
    at = end + length;
    if (!nested) break;
  }
  mangled.rest = symbol.substr(std::min(at, symbol.size()));
  return mangled;
}

}  // namespace

std::vector<std::string> functions_of(std::span<const std::byte> cubin) {
  std::vector<std::string> names;
  for (const auto& symbol : replay::read_elf(cubin).symbols)
    if (symbol.is_function && symbol.section == ".text." + symbol.name)
      names.push_back(symbol.name);
  return names;
}

std::string original_symbol(const std::vector<std::string>& functions, const std::string& symbol) {
  if (std::ranges::find(functions, symbol) != functions.end()) return symbol;
  const auto wanted = parse(symbol);
  std::vector<std::string> best;
  std::size_t longest = 0;
  for (const auto& name : functions) {
    const auto found = parse(name);
    if (found.components != wanted.components) continue;
    const auto common = static_cast<std::size_t>(
        std::ranges::mismatch(found.rest, wanted.rest).in1 - found.rest.begin());
    if (common < longest) continue;
    if (common > longest) best.clear();
    longest = common;
    best.push_back(name);
  }
  if (best.size() == 1) return best.front();
  throw std::runtime_error(best.empty() ? "nvcc made no kernel of " + symbol
                                        : "nvcc made several kernels that may be " + symbol);
}

std::string candidate_symbol(const std::vector<std::string>& functions, const std::string& name) {
  std::vector<std::string> found;
  for (const auto& function : functions)
    if (const auto parsed = parse(function).components; !parsed.empty() && parsed.back() == name)
      found.push_back(function);
  if (found.size() == 1) return found.front();
  throw std::runtime_error(found.empty() ? "nvcc made no kernel of " + name
                                         : "nvcc made several kernels of " + name);
}

}  // namespace geak::worker
