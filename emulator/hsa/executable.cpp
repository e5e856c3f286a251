#include "emulator/hsa/executable.h"

#include <mutex>

#include "emulator/hsa/guard.h"

namespace geak::emulator {
namespace {

template <typename Map>
auto& owned(Map& map, std::uint64_t handle, hsa_status_t otherwise) {
  const auto found = map.find(handle);
  require(found != map.end(), otherwise);
  return *found->second;
}

}  // namespace

Executable& ExecutableTable::create() {
  auto executable = std::make_unique<Executable>();
  const std::unique_lock lock(mutex_);
  return *(executables_[executable->handle().handle] = std::move(executable));
}

void ExecutableTable::destroy(hsa_executable_t handle) {
  std::unique_ptr<Executable> gone;
  const std::unique_lock lock(mutex_);
  const auto found = executables_.find(handle.handle);
  require(found != executables_.end(), HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  gone = std::move(found->second);
  executables_.erase(found);
  for (const auto& [key, symbol] : gone->symbols) kernels_.erase(symbol.address);
}

Executable& ExecutableTable::checked(hsa_executable_t handle) {
  const std::shared_lock lock(mutex_);
  return owned(executables_, handle.handle, HSA_STATUS_ERROR_INVALID_EXECUTABLE);
}

const ExecutableSymbol& ExecutableTable::checked(hsa_executable_symbol_t handle) {
  require(handle.handle != 0, HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL);
  return *reinterpret_cast<const ExecutableSymbol*>(handle.handle);
}

CodeReader& ExecutableTable::checked(hsa_code_object_reader_t handle) {
  const std::shared_lock lock(mutex_);
  return owned(readers_, handle.handle, HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
}

hsa_code_object_reader_t ExecutableTable::add_reader(std::unique_ptr<CodeReader> reader) {
  const std::unique_lock lock(mutex_);
  const auto handle = reinterpret_cast<std::uint64_t>(reader.get());
  readers_[handle] = std::move(reader);
  return {handle};
}

void ExecutableTable::destroy_reader(hsa_code_object_reader_t handle) {
  const std::unique_lock lock(mutex_);
  require(readers_.erase(handle.handle) == 1, HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
}

LoadedObject& ExecutableTable::load(Executable& executable, Agent& agent,
                                    const CodeReader& reader) {
  require(!executable.frozen, HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  Definitions definitions = executable.definitions[nullptr];
  for (const auto& [name, address] : executable.definitions[&agent]) definitions[name] = address;
  std::vector<ExecutableSymbol> symbols;
  auto object = load_code_object(agent, reader.bytes, definitions, symbols);
  object->executable = executable.handle();
  object->storage_address = reinterpret_cast<std::uint64_t>(reader.bytes.data());
  const std::unique_lock lock(mutex_);
  for (auto& symbol : symbols) {
    if (symbol.kind == CodeObject::Symbol::Kind::kernel_descriptor) {
      kernels_[symbol.address] = {object->code, symbol.name.substr(0, symbol.name.size() - 3),
                                  &agent};
    }
    executable.symbols[{&agent, symbol.name}] = symbol;
  }
  executable.objects.push_back(std::move(object));
  return *executable.objects.back();
}

bool ExecutableTable::resolve(std::uint64_t kernel_object, ResolvedKernel& kernel) const {
  const std::shared_lock lock(mutex_);
  const auto found = kernels_.find(kernel_object);
  if (found == kernels_.end()) return false;
  kernel = found->second;
  return true;
}

void ExecutableTable::for_each(const std::function<void(Executable&)>& visit) const {
  const std::shared_lock lock(mutex_);
  for (const auto& [handle, executable] : executables_) visit(*executable);
}

}  // namespace geak::emulator
