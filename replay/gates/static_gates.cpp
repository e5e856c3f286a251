#include "replay/gates/static_gates.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "replay/code_object/elf.h"
#include "replay/code_object/gfx9_code.h"
#include "replay/code_object/portable_code.h"

namespace geak::replay {
namespace {

constexpr std::uint32_t kMaximumVgprs = 512;         // of a lane, AGPRs included (gfx90a and later)
constexpr std::uint32_t kMaximumScratch = 1u << 17;  // of a work-item

constexpr const char* kStaticState =
    "3, 5, 6, 7: state kept from launch to launch in a static device variable";

struct Judged {
  Elf elf;
  KernelMetadata kernel;
};

Judged look_at(const CodeToJudge& code, const char* which) {
  Judged judged;
  judged.elf = read_elf(code.code);
  const auto kernels = read_kernel_metadata(judged.elf.metadata);
  const auto* kernel = find_kernel_metadata(kernels, code.kernel);
  if (!kernel) {
    throw std::runtime_error(std::string("the ") + which + "'s code object has no kernel " +
                             code.kernel);
  }
  judged.kernel = *kernel;
  return judged;
}

std::optional<Refusal> compare_arguments(const KernelMetadata& a, const KernelMetadata& b) {
  const auto explicit_of = [](const KernelMetadata& kernel) {
    std::vector<KernelArgument> arguments;
    std::ranges::copy_if(kernel.arguments, std::back_inserter(arguments),
                         [](const auto& argument) { return !argument.hidden(); });
    return arguments;
  };
  const auto original = explicit_of(a), candidate = explicit_of(b);
  const bool same = std::ranges::equal(original, candidate, [](const auto& x, const auto& y) {
    return x.offset == y.offset && x.bytes == y.bytes && x.value_kind == y.value_kind;
  });
  if (same) return std::nullopt;
  return Refusal{"the candidate's parameters are not the original's", ""};
}

// Device printf and malloc reach the host: a candidate must not where the original does not.
std::optional<Refusal> compare_services(const KernelMetadata& a, const KernelMetadata& b) {
  for (const auto& argument : b.arguments) {
    const auto& kind = argument.value_kind;
    if (kind != "hidden_hostcall_buffer" && kind != "hidden_printf_buffer" &&
        kind != "hidden_heap_v1") {
      continue;
    }
    if (std::ranges::find(a.arguments, kind, &KernelArgument::value_kind) != a.arguments.end()) {
      continue;
    }
    return Refusal{"the candidate uses services of the host (" + kind + "), the original does not",
                   "26: prints or calls into the host"};
  }
  return std::nullopt;
}

// Static state of a device is where results are kept for a later launch; one that grew has room
// for it.
std::optional<Refusal> compare_variables(const Elf& original, const Elf& candidate) {
  std::map<std::string, std::uint64_t> known;
  for (const auto& symbol : original.symbols) {
    if (symbol.is_object) known.emplace(symbol.name, symbol.bytes);
  }
  for (const auto& symbol : candidate.symbols) {
    if (!symbol.is_object || !symbol.writable) continue;
    const auto found = known.find(symbol.name);
    if (found != known.end() && found->second == symbol.bytes) continue;
    if (found != known.end()) {
      return Refusal{"the variable " + symbol.name + " has " + std::to_string(symbol.bytes) +
                         " bytes in the candidate and " + std::to_string(found->second) +
                         " in the original",
                     kStaticState};
    }
    // clang's one-byte mark of a translation unit, named by a digest of the file's path.
    if (symbol.bytes <= 1 && symbol.name.starts_with("__hip_cuid_")) continue;
    return Refusal{"the candidate has a variable " + symbol.name +
                       " that outlives a launch, which the original has not",
                   kStaticState};
  }
  return std::nullopt;
}

// State that other kernels of the program keep serves as well as state of one's own.
std::optional<Refusal> compare_used_variables(const PortableCode& original,
                                              const PortableCode& candidate) {
  for (const auto& name : candidate.variables) {
    if (std::ranges::find(original.variables, name) != original.variables.end()) continue;
    return Refusal{"the candidate uses the variable " + name + ", which the original does not",
                   "3, 5, 6, 7: state outside of the kernel's arguments"};
  }
  return std::nullopt;
}

// The packet and the queue tell who launches, as clocks tell how it is timed.
std::optional<Refusal> compare_properties(const PortableCode& original,
                                          const PortableCode& candidate) {
  const auto a = kernel_properties(original.descriptor),
             b = kernel_properties(candidate.descriptor);
  const auto refuse = [](const char* what) {
    return Refusal{
        std::string("the candidate's code asks for ") + what + ", which the original's does not",
        "4, 8: looks at what launched it"};
  };
  if (b.queue_ptr && !a.queue_ptr) return refuse("its queue (queue_ptr in its descriptor)");
  if (b.dispatch_id && !a.dispatch_id)
    return refuse("its launch's number (dispatch_id in its descriptor)");
  if (reads_beyond_sizes(candidate.functions.front(), b) &&
      !reads_beyond_sizes(original.functions.front(), a)) {
    return refuse("more of its dispatch packet than the launch's sizes");
  }
  return std::nullopt;
}

std::string attack_of_instruction(const std::string& name) {
  if (name.starts_with("s_mem")) return "4, 8, 28: reads clocks or its own packet";
  if (name.starts_with("s_sendmsg") || name == "s_trap") return "26: prints or calls into the host";
  if (name.starts_with("s_setreg") || name == "s_rfe_b64") return "9: changes of hardware modes";
  if (name.starts_with("the global data share")) return "5: state kept between launches";
  return "4, 8: looks at what launched it";
}

// A code object has no text to be judged: what its instructions reach counts, of all functions that
// the kernel may call.
std::optional<Refusal> compare_reach(const PortableCode& original, const PortableCode& candidate) {
  const auto of = [](const PortableCode& code) {
    std::set<std::string> all;
    for (const auto& function : code.functions) all.merge(special_instructions(function));
    return all;
  };
  const auto known = of(original);
  for (const auto& name : of(candidate)) {
    if (known.contains(name)) continue;
    return Refusal{"the candidate's code has " + name + ", which the original's has not",
                   attack_of_instruction(name)};
  }
  return compare_properties(original, candidate);
}

std::optional<Refusal> check_resources(const KernelMetadata& kernel) {
  if (kernel.vgprs > kMaximumVgprs) {
    return Refusal{"the candidate needs " + std::to_string(kernel.vgprs) +
                       " vector registers; a lane has at most " + std::to_string(kMaximumVgprs),
                   ""};
  }
  if (kernel.scratch > kMaximumScratch) {
    return Refusal{"the candidate needs " + std::to_string(kernel.scratch) +
                       " bytes of scratch for each work-item",
                   ""};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> check_code(const CodeToJudge& original, const CodeToJudge& candidate) {
  const auto a = look_at(original, "original"), b = look_at(candidate, "candidate");
  if (a.elf.machine != b.elf.machine) {
    return Refusal{
        "the candidate is code for " + b.elf.machine + ", the original for " + a.elf.machine, ""};
  }
  if (auto refusal = compare_arguments(a.kernel, b.kernel)) return refusal;
  if (auto refusal = compare_services(a.kernel, b.kernel)) return refusal;
  if (auto refusal = compare_variables(a.elf, b.elf)) return refusal;
  const auto a_code = portable_code(original.code, original.kernel);
  const auto b_code = portable_code(candidate.code, candidate.kernel);
  if (auto refusal = compare_used_variables(a_code, b_code)) return refusal;
  if (auto refusal = compare_reach(a_code, b_code)) return refusal;
  return check_resources(b.kernel);
}

std::optional<Refusal> check_cubin(std::span<const std::byte> original,
                                   const KernelMetadata& original_kernel,
                                   std::span<const std::byte> candidate,
                                   const KernelMetadata& candidate_kernel) {
  if (auto refusal = compare_arguments(original_kernel, candidate_kernel)) return refusal;
  // Shared memory lives no longer than a workgroup.
  const auto outlives = [](const ElfSymbol& symbol) {
    return symbol.section.starts_with(".nv.global") || symbol.section.starts_with(".nv.constant");
  };
  auto a = read_elf(original), b = read_elf(candidate);
  for (auto* elf : {&a, &b}) {
    std::erase_if(elf->symbols, [&](const auto& symbol) { return !outlives(symbol); });
  }
  return compare_variables(a, b);
}

std::optional<Refusal> check_launch(const KernelMetadata& candidate, const support::Launch& launch,
                                    std::uint32_t device_lds_bytes) {
  const std::uint64_t lds = std::uint64_t{candidate.static_lds} + launch.dynamic_lds;
  if (lds > device_lds_bytes) {
    return Refusal{"the candidate needs " + std::to_string(lds) +
                       " bytes of LDS for a workgroup; the device has " +
                       std::to_string(device_lds_bytes),
                   "20: more LDS than the device has"};
  }
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (candidate.max_workgroup && threads > candidate.max_workgroup) {
    return Refusal{"workgroups of " + std::to_string(threads) +
                       " work-items, but the candidate is compiled for at most " +
                       std::to_string(candidate.max_workgroup),
                   ""};
  }
  if (candidate.required_workgroup &&
      !std::ranges::equal(*candidate.required_workgroup, launch.block)) {
    return Refusal{"the candidate requires another workgroup size than it is launched with", ""};
  }
  return std::nullopt;
}

}  // namespace geak::replay
