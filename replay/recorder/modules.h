// The device code that the program registered or loaded.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "replay/archive/frame.h"
#include "replay/code_object/fat_binary.h"
#include "replay/code_object/kernel_metadata.h"

namespace geak::replay {

struct Module {
  const std::byte* image = nullptr;  // of a registered fat binary, which lives as long as it
  std::vector<BundledCode> entries;  // of a loaded module, whose image may go away
  std::map<std::string, const void*> variables;  // device name: the host's shadow
  const void* loaded = nullptr;                  // hipModule_t of a loaded one

  // Filled by prepare().
  bool prepared = false;
  std::string problem;  // why its launches can't be recorded
  std::string target;
  std::vector<std::byte> code;
  Digest digest{};
  std::vector<KernelMetadata> kernels;
  std::vector<std::string> global_names;  // visible variables of the code object
  bool written = false;

  // Finds the code object for the architecture and reads its metadata, once. A failure stands in
  // `problem`.
  void prepare(const std::string& architecture);
};

struct KernelReference {
  std::shared_ptr<Module> module;
  std::string symbol;
};

class Modules {
 public:
  void add_fat_binary(const void* handle, const void* wrapper);
  // A module whose code and kernels are known already (CUDA's).
  void add_prepared(const void* handle, std::shared_ptr<Module> module);
  void remove_fat_binary(const void* handle);
  void add_function(const void* handle, const void* host_function, const char* symbol);
  void add_variable(const void* handle, const void* host_variable, const char* name);
  // `image` as for unbundle(); problems are kept in the module.
  void add_loaded(const void* module, const std::byte* image);
  void remove_loaded(const void* module);
  void add_module_function(const void* module, const void* function, const char* symbol);

  // Null where it is unknown.
  Module* module(const void* handle) const;
  // By the host's stub or by hipFunction_t; null where it is unknown.
  const KernelReference* find(const void* function) const;

 private:
  std::map<const void*, std::shared_ptr<Module>> modules_;  // by handle or hipModule_t
  std::map<const void*, KernelReference> functions_;
};

}  // namespace geak::replay
