#include "replay/recorder/recorder.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "replay/recorder/device_memory.h"

namespace geak::replay {
namespace {

std::vector<std::byte> contents_of(const Allocation& allocation) {
  if (!allocation.host_address) return read_memory(allocation);
  const auto* first = reinterpret_cast<const std::byte*>(allocation.host_address);
  return {first, first + allocation.bytes};
}

std::vector<std::string> own_command() {
  std::ifstream stream("/proc/self/cmdline", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\0', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::vector<std::uint8_t> kernarg_of(const LaunchCall& call, const KernelMetadata& kernel) {
  std::vector<std::uint8_t> bytes(kernel.explicit_bytes());
  if (call.buffer) {
    std::memcpy(bytes.data(), call.buffer, std::min(bytes.size(), call.buffer_bytes));
    return bytes;
  }
  std::size_t index = 0;
  for (const auto& argument : kernel.arguments) {
    if (argument.hidden()) continue;
    if (!call.arguments) throw std::runtime_error("a launch without arguments");
    std::memcpy(bytes.data() + argument.offset, call.arguments[index++], argument.bytes);
  }
  return bytes;
}

// Kernel, launch shape and the sizes of the memory that arguments point to.
std::string class_of(const LaunchCall& call, const KernelReference& kernel,
                     const KernelMetadata& metadata, const std::vector<std::uint8_t>& kernarg,
                     const MemoryMap& memory) {
  std::string text = kernel.symbol + '/' + to_hex(kernel.module->digest);
  for (const auto value : call.grid) text += ',' + std::to_string(value);
  for (const auto value : call.block) text += ',' + std::to_string(value);
  text += ',' + std::to_string(call.dynamic_lds);
  for (const auto& argument : metadata.arguments) {
    if (argument.value_kind != "global_buffer" || argument.bytes != 8) continue;
    std::uint64_t address = 0;
    std::memcpy(&address, kernarg.data() + argument.offset, 8);
    const Allocation* found = memory.find(address, true);
    text += ':' + (found ? std::to_string(found->base + found->bytes - address) : "?");
  }
  return to_hex(digest_of(std::as_bytes(std::span(text)))).substr(0, 16);
}

}  // namespace

namespace {
std::atomic<Recorder*> made{nullptr};
}

Recorder& Recorder::instance() {
  static Recorder& recorder = []() -> Recorder& {
    made = new Recorder;
    return *made;
  }();
  return recorder;
}

Recorder* Recorder::existing() { return made; }

Recorder::Recorder() : sampler_(SamplingLimits::from_environment()) {
  if (const char* file = std::getenv("GEAK_RECORD_FILE")) file_ = file;
  process_ = ::getpid();
  if (file_.empty()) stop("GEAK_RECORD_FILE is not set; `geak record` and `geak-worker` set it");
}

bool Recorder::active() const { return !stopped_ && process_ == ::getpid(); }

void Recorder::stop(const std::string& why) {
  if (!stopped_) std::fprintf(stderr, "geak record: recording stopped: %s\n", why.c_str());
  stopped_ = true;
}

void Recorder::start() {
  if (writer_) return;
  writer_ = std::make_unique<ArchiveWriter>(file_);
  const auto device = current_device();
  architecture_ = device.architecture;
  writer_->put(
      ProgramRecord{process_, own_command(), device.name, device.architecture, GEAK_VERSION});
}

void Recorder::write_module(Module& module) {
  if (module.written) return;
  writer_->put(CodeObjectRecord{module.digest, module.target, writer_->put(module.code)});
  module.written = true;
}

std::vector<Allocation> Recorder::globals_of(const Module& module) {
  std::vector<Allocation> globals;
  for (const auto& name : module.global_names) {
    Allocation global;
    const auto shadow = module.variables.find(name);
    if (module.loaded) {
      global = module_global(module.loaded, name);
    } else if (shadow != module.variables.end()) {
      global = registered_global(shadow->second, name);
    }
    if (global.bytes) globals.push_back(std::move(global));
  }
  return globals;
}

std::optional<Recorder::Pending> Recorder::before(const LaunchCall& call) {
  if (!active()) return std::nullopt;
  const KernelReference* kernel = modules.find(call.function);
  if (!kernel) {
    skip("a kernel", "its registration was not seen");
    return std::nullopt;
  }
  if (captures) return std::nullopt;  // it is seen when its graph is launched
  try {
    start();
    return prepare(call, *kernel);
  } catch (const std::system_error& error) {
    stop(error.what());
  } catch (const std::exception& error) {
    skip(kernel->symbol, error.what());
  }
  return std::nullopt;
}

std::optional<Recorder::Pending> Recorder::prepare(const LaunchCall& call,
                                                   const KernelReference& kernel) {
  auto& module = *kernel.module;
  module.prepare(architecture_);
  if (!module.problem.empty()) throw std::runtime_error(module.problem);
  const KernelMetadata* metadata = find_kernel_metadata(module.kernels, kernel.symbol);
  if (!metadata) throw std::runtime_error("no metadata of the kernel in its code object");
  Pending pending;
  auto& record = pending.record;
  record.kernarg = kernarg_of(call, *metadata);
  record.launch_class = class_of(call, kernel, *metadata, record.kernarg, memory);
  if (!sampler_.wants(record.launch_class, kernel.symbol)) return std::nullopt;
  if (writer_->bytes_written() > sampler_.limits().archive_bytes) {
    skip(kernel.symbol, "the archive reached its size limit (GEAK_RECORD_ARCHIVE_MIB)");
    return std::nullopt;
  }
  synchronize();
  asked_.clear();
  asked_.reserve(metadata->arguments.size());  // pointers to its elements are handed out
  pending.reached = find_reachable(
      memory, *metadata, record.kernarg, globals_of(module), sampler_.limits().launch_bytes,
      contents_of, [&](std::uint64_t address) -> const Allocation* {
        auto found = ask_runtime(address);
        return found ? &asked_.emplace_back(std::move(*found)) : nullptr;
      });
  if (pending.reached.too_large) {
    skip(kernel.symbol, "it reaches more memory than the limit (GEAK_RECORD_LAUNCH_MIB)");
    return std::nullopt;
  }
  record.kernel = kernel.symbol;
  record.code_object = module.digest;
  record.ordinal = sampler_.ordinal(record.launch_class);
  record.grid = call.grid;
  record.block = call.block;
  record.dynamic_lds = call.dynamic_lds;
  record.cooperative = call.cooperative;
  record.pointers = pending.reached.pointers;
  record.notes = pending.reached.notes;
  write_module(module);
  return pending;
}

void Recorder::after(Pending& pending) {
  try {
    synchronize();
    std::uint64_t raw_bytes = 0;
    for (auto& [allocation, contents] : pending.reached.memory) {
      Region region;
      region.kind = allocation.kind;
      region.name = allocation.name;
      region.base = allocation.base;
      region.bytes = allocation.bytes;
      region.before = writer_->put(contents);
      const auto now = contents_of(allocation);
      region.after = now == contents ? region.before : writer_->put(now);
      raw_bytes += 2 * allocation.bytes;
      pending.record.regions.push_back(std::move(region));
    }
    writer_->put(pending.record);
    sampler_.recorded(pending.record.launch_class, raw_bytes);
  } catch (const std::system_error& error) {
    stop(error.what());
  } catch (const std::exception& error) {
    skip(pending.record.kernel, error.what());
  }
}

void Recorder::skip(const std::string& kernel, const std::string& why) {
  if (active()) sampler_.skipped(kernel, why);
}

void Recorder::finish() {
  if (!active() || !writer_) return;
  try {
    auto summary = sampler_.summary();
    summary.process = process_;
    writer_->put(summary);
  } catch (const std::exception& error) {
    stop(error.what());
  }
}

void remember(const void* pointer, std::uint64_t bytes, MemoryKind kind) {
  if (!pointer || HookScope::inside()) return;
  auto& recorder = Recorder::instance();
  const std::lock_guard lock(recorder.mutex);
  Allocation allocation;
  allocation.base = reinterpret_cast<std::uint64_t>(pointer);
  allocation.bytes = bytes;
  allocation.kind = kind;
  if (kind != MemoryKind::device) allocation.host_address = allocation.base;
  recorder.memory.add(std::move(allocation));
}

void forget(const void* pointer) {
  if (!pointer || HookScope::inside()) return;
  auto& recorder = Recorder::instance();
  const std::lock_guard lock(recorder.mutex);
  recorder.memory.remove(reinterpret_cast<std::uint64_t>(pointer));
}

}  // namespace geak::replay
