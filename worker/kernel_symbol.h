// Kernels of a cubin, by the names that other compilers give them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace geak::worker {

// Functions of the cubin, kernels among them.
std::vector<std::string> functions_of(std::span<const std::byte> cubin);

// The kernel that clang calls `symbol` for AMD: vector types and unnamed namespaces are mangled
// otherwise by nvcc, so it is the one with the same name and the longest common beginning. Throws
// std::runtime_error where there is none, or where two fit equally well.
std::string original_symbol(const std::vector<std::string>& functions, const std::string& symbol);

// The kernel of this unqualified name. Throws std::runtime_error where there is not exactly one.
std::string candidate_symbol(const std::vector<std::string>& functions, const std::string& name);

}  // namespace geak::worker
