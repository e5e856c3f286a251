// A code object that HSA's loader has put on a device.
#pragma once

#include <hsa/hsa.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace geak::replay {

class LoadedProgram {
 public:
  // Keeps a copy of the bytes. Throws std::runtime_error where the loader refuses them.
  LoadedProgram(hsa_agent_t agent, std::vector<std::byte> code);
  ~LoadedProgram();
  LoadedProgram(const LoadedProgram&) = delete;
  LoadedProgram& operator=(const LoadedProgram&) = delete;

  struct Kernel {
    std::uint64_t object = 0;
    std::uint32_t group_bytes = 0, private_bytes = 0, kernarg_bytes = 0;
  };
  Kernel kernel(const std::string& symbol) const;
  // Device address of a visible variable; 0 where there is none.
  std::uint64_t variable(const std::string& name) const;

 private:
  hsa_agent_t agent_;
  std::vector<std::byte> code_;
  hsa_code_object_reader_t reader_{};
  hsa_executable_t executable_{};
};

}  // namespace geak::replay
