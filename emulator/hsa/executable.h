// Loaded code objects and their symbols.
#pragma once

#include <hsa/hsa.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "emulator/hsa/agent.h"
#include "emulator/hsa/code_object.h"
#include "emulator/wave/dispatch.h"

namespace geak::emulator {

struct LoadedObject;

struct ExecutableSymbol {
  CodeObject::Symbol::Kind kind = CodeObject::Symbol::Kind::variable;
  std::string name;
  Agent* agent = nullptr;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool constant = false;
  bool local = false;
  const LoadedObject* object = nullptr;  // nullptr: defined by the host
};

// A code object in memory. Its pages are unmapped with it.
struct LoadedObject {
  LoadedObject() = default;
  LoadedObject(const LoadedObject&) = delete;
  LoadedObject& operator=(const LoadedObject&) = delete;
  ~LoadedObject();

  hsa_executable_t executable{};
  Agent* agent = nullptr;
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  std::uint64_t storage_address = 0;  // of the caller's own bytes, for the loader extension
  std::shared_ptr<LoadedCode> code = std::make_shared<LoadedCode>();
};

// Addresses that the host gave to names, before loading.
using Definitions = std::map<std::string, std::uint64_t>;

// Copies segments, applies relocations, fills `symbols`. Throws CodeObjectError, or StatusError
// VARIABLE_UNDEFINED.
std::unique_ptr<LoadedObject> load_code_object(Agent& agent, std::span<const std::byte> bytes,
                                               const Definitions& definitions,
                                               std::vector<ExecutableSymbol>& symbols);

struct Executable {
  hsa_profile_t profile = HSA_PROFILE_BASE;
  hsa_default_float_rounding_mode_t rounding = HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
  bool frozen = false;
  std::map<Agent*, Definitions> definitions;  // nullptr: for all agents
  std::vector<std::unique_ptr<LoadedObject>> objects;
  std::map<std::pair<Agent*, std::string>, ExecutableSymbol> symbols;

  hsa_executable_t handle() const { return {reinterpret_cast<std::uint64_t>(this)}; }
};

struct CodeReader {
  std::vector<std::byte> owned;  // read from a file
  std::span<const std::byte> bytes;
};

// What a dispatch needs of its kernel.
struct ResolvedKernel {
  std::shared_ptr<const LoadedCode> code;
  std::string name;
  Agent* agent = nullptr;
};

// All executables and readers of the process.
class ExecutableTable {
 public:
  Executable& create();
  void destroy(hsa_executable_t handle);
  // Throw StatusError when the handle is of none.
  Executable& checked(hsa_executable_t handle);
  const ExecutableSymbol& checked(hsa_executable_symbol_t handle);
  CodeReader& checked(hsa_code_object_reader_t handle);
  hsa_code_object_reader_t add_reader(std::unique_ptr<CodeReader> reader);
  void destroy_reader(hsa_code_object_reader_t handle);

  // Loads into an unfrozen executable.
  LoadedObject& load(Executable& executable, Agent& agent, const CodeReader& reader);

  // By the address of a kernel descriptor; false when no kernel is there.
  bool resolve(std::uint64_t kernel_object, ResolvedKernel& kernel) const;

  void for_each(const std::function<void(Executable&)>& visit) const;

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::uint64_t, std::unique_ptr<Executable>> executables_;
  std::map<std::uint64_t, std::unique_ptr<CodeReader>> readers_;
  std::map<std::uint64_t, ResolvedKernel> kernels_;  // by descriptor
};

}  // namespace geak::emulator
