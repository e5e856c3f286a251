#include "emulator/check/source_lines.h"

#include <dlfcn.h>
#include <link.h>
#include <llvm/DebugInfo/Symbolize/Symbolize.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <map>

namespace geak::emulator::check {
namespace {

llvm::symbolize::LLVMSymbolizer::Options options() {
  llvm::symbolize::LLVMSymbolizer::Options result;
  result.Demangle = true;
  result.UntagAddresses = false;
  return result;
}

std::vector<SourceFrame> frames_of(const llvm::DIInliningInfo& info) {
  std::vector<SourceFrame> frames;
  for (std::uint32_t n = 0; n < info.getNumberOfFrames(); ++n) {
    const llvm::DILineInfo& line = info.getFrame(n);
    SourceFrame frame;
    if (line.FunctionName != llvm::DILineInfo::BadString) frame.function = line.FunctionName;
    if (line.FileName != llvm::DILineInfo::BadString) frame.file = line.FileName;
    frame.line = line.Line;
    frame.column = line.Column;
    frames.push_back(std::move(frame));
  }
  return frames;
}

bool is_runtime(const std::string& module) {
  for (const char* name : {"libamdhip64.so", "libhsa-runtime64.so", "libgeak-", "libc.so"}) {
    if (module.find(name) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

std::string demangled(const std::string& name) { return llvm::demangle(name); }

struct SourceLines::State {
  struct Object {
    std::unique_ptr<llvm::MemoryBuffer> buffer;
    std::unique_ptr<llvm::object::ObjectFile> file;  // nullptr: not readable
  };
  std::map<const LoadedCode*, Object> objects;
  llvm::symbolize::LLVMSymbolizer symbolizer{options()};

  const llvm::object::ObjectFile* object(const LoadedCode& code) {
    auto [place, is_new] = objects.try_emplace(&code);
    if (is_new) {
      // A copy: the code object may be unloaded, and another take its address, before the end.
      place->second.buffer = llvm::MemoryBuffer::getMemBufferCopy(
          llvm::StringRef(reinterpret_cast<const char*>(code.image.data()), code.image.size()));
      auto file = llvm::object::ObjectFile::createObjectFile(*place->second.buffer);
      if (file)
        place->second.file = std::move(*file);
      else
        llvm::consumeError(file.takeError());
    }
    return place->second.file.get();
  }
};

SourceLines::SourceLines() : state_(std::make_unique<State>()) {}
SourceLines::~SourceLines() = default;

std::vector<SourceFrame> SourceLines::device(const LoadedCode& code, std::uint64_t address) {
  if (const auto* object = state_->object(code)) {
    auto info = state_->symbolizer.symbolizeInlinedCode(
        *object, {address - code.load_base, llvm::object::SectionedAddress::UndefSection});
    if (info)
      if (auto frames = frames_of(*info); !frames.empty() && !frames.front().function.empty())
        return frames;
    if (!info) llvm::consumeError(info.takeError());
  }
  const auto next = std::upper_bound(
      code.functions.begin(), code.functions.end(), address,
      [](std::uint64_t value, const auto& symbol) { return value < symbol.address; });
  SourceFrame frame;
  if (next != code.functions.begin()) frame.function = demangled(std::prev(next)->name);
  return {frame};
}

HostCalls SourceLines::program_calls(const HostCalls& calls) {
  HostCalls result;
  for (const std::uint64_t call : calls) {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(call - 1), &info) && info.dli_fname &&
        !is_runtime(info.dli_fname))
      result.push_back(call);
  }
  return result;
}

std::vector<SourceFrame> SourceLines::host(const HostCalls& calls) {
  std::vector<SourceFrame> frames;
  std::string entry;  // into the runtimes
  for (const std::uint64_t call : calls) {
    Dl_info info{};
    link_map* map = nullptr;
    if (!dladdr1(reinterpret_cast<void*>(call - 1), &info, reinterpret_cast<void**>(&map),
                 RTLD_DL_LINKMAP) ||
        !info.dli_fname)
      continue;
    std::string module = info.dli_fname;
    if (is_runtime(module)) {
      if (!frames.empty()) break;  // main's caller
      if (info.dli_sname) entry = demangled(info.dli_sname);
      continue;
    }
    if (map->l_name && *map->l_name == '\0') module = "/proc/self/exe";
    std::vector<SourceFrame> found;
    auto lines = state_->symbolizer.symbolizeInlinedCode(
        module, {call - 1 - map->l_addr, llvm::object::SectionedAddress::UndefSection});
    if (lines)
      found = frames_of(*lines);
    else
      llvm::consumeError(lines.takeError());
    if (found.empty() || found.front().function.empty()) {
      found = {SourceFrame{}};
      if (info.dli_sname) found.front().function = demangled(info.dli_sname);
    }
    for (SourceFrame& frame : found) {
      frame.module = info.dli_fname;
      frames.push_back(std::move(frame));
    }
  }
  if (!entry.empty()) {
    SourceFrame frame;
    frame.function = entry;
    frames.insert(frames.begin(), std::move(frame));
  }
  return frames;
}

}  // namespace geak::emulator::check
