#include "replay/recorder/modules.h"

#include <cstring>
#include <stdexcept>

#include "replay/code_object/elf.h"

namespace geak::replay {
namespace {

// clang's struct before each fat binary: { u32 magic "HIPF", u32 version, bundle, unused }.
struct FatBinaryWrapper {
  std::uint32_t magic, version;
  const std::byte* binary;
  const void* unused;
};
constexpr std::uint32_t kWrapperMagic = 0x48495046;

void read_code(Module& module) {
  const Elf elf = read_elf(module.code);
  module.kernels = read_kernel_metadata(elf.metadata);
  module.digest = digest_of(module.code);
  if (module.target.empty()) module.target = "amdgcn-amd-amdhsa--" + elf.machine;
  for (const auto& symbol : elf.symbols) {
    const bool descriptor = symbol.name.ends_with(".kd");
    if (symbol.is_object && symbol.global && !descriptor && symbol.bytes) {
      module.global_names.push_back(symbol.name);
    }
  }
}

}  // namespace

void Module::prepare(const std::string& architecture) {
  if (prepared) return;
  prepared = true;
  try {
    if (image) entries = unbundle(image);
    if (entries.empty() && !problem.empty()) return;
    const BundledCode* entry = code_for(entries, architecture);
    if (!entry) throw std::runtime_error("no code for " + architecture);
    target = entry->target;
    code = entry->bytes;
    entries.clear();
    read_code(*this);
  } catch (const std::exception& error) {
    problem = error.what();
  }
}

void Modules::add_fat_binary(const void* handle, const void* wrapper) {
  auto module = std::make_shared<Module>();
  FatBinaryWrapper fat{};
  std::memcpy(&fat, wrapper, sizeof fat);
  if (fat.magic == kWrapperMagic) {
    module->image = fat.binary;
  } else {
    module->problem = "a fat binary of an unknown form";
  }
  modules_[handle] = std::move(module);
}

void Modules::add_prepared(const void* handle, std::shared_ptr<Module> module) {
  module->prepared = true;
  modules_[handle] = std::move(module);
}

Module* Modules::module(const void* handle) const {
  const auto found = modules_.find(handle);
  return found == modules_.end() ? nullptr : found->second.get();
}

void Modules::remove_fat_binary(const void* handle) { remove_loaded(handle); }

void Modules::add_function(const void* handle, const void* host_function, const char* symbol) {
  const auto found = modules_.find(handle);
  if (found != modules_.end()) functions_[host_function] = {found->second, symbol};
}

void Modules::add_variable(const void* handle, const void* host_variable, const char* name) {
  const auto found = modules_.find(handle);
  if (found != modules_.end()) found->second->variables[name] = host_variable;
}

void Modules::add_loaded(const void* module, const std::byte* image) {
  auto entry = std::make_shared<Module>();
  entry->loaded = module;
  try {
    entry->entries = unbundle(image);
  } catch (const std::exception& error) {
    entry->problem = error.what();
  }
  modules_[module] = std::move(entry);
}

void Modules::remove_loaded(const void* module) {
  const auto found = modules_.find(module);
  if (found == modules_.end()) return;
  std::erase_if(functions_,
                [&](const auto& entry) { return entry.second.module == found->second; });
  modules_.erase(found);
}

void Modules::add_module_function(const void* module, const void* function, const char* symbol) {
  add_function(module, function, symbol);
}

const KernelReference* Modules::find(const void* function) const {
  const auto found = functions_.find(function);
  return found == functions_.end() ? nullptr : &found->second;
}

}  // namespace geak::replay
