#include "replay/hsa/hsa_kernel.h"

#include "replay/code_object/elf.h"
#include "replay/hsa/loaded_program.h"
#include "replay/replayer/kernarg.h"

namespace geak::replay {
namespace {

KernelMetadata metadata_of(const std::vector<std::byte>& code, const std::string& kernel) {
  const auto kernels = read_kernel_metadata(read_elf(code).metadata);
  const auto* found = find_kernel_metadata(kernels, kernel);
  if (!found) throw std::runtime_error("the code object has no kernel " + kernel);
  return *found;
}

// Sections that are not written to, relative to the kernel's descriptor.
std::vector<LoadedKernel::Memory> constants_of(const std::vector<std::byte>& code,
                                               const std::string& kernel) {
  const auto elf = read_elf(code);
  std::vector<LoadedKernel::Memory> found;
  for (const auto& symbol : elf.symbols) {
    if (symbol.name != kernel + ".kd") continue;
    for (const auto& section : elf.sections) {
      if (section.writable || section.contents.empty()) continue;
      found.push_back({section.address - symbol.address, section.bytes});
    }
  }
  return found;
}

class HsaKernel : public LoadedKernel {
 public:
  HsaKernel(HsaDevice& device, std::vector<std::byte> code, const std::string& kernel)
      : device_(device),
        metadata_(metadata_of(code, kernel)),
        constants_(constants_of(code, kernel)),
        program_(device.agent(), std::move(code)),
        kernel_(program_.kernel(kernel)) {
    for (auto& memory : constants_) memory.address += kernel_.object;
  }

  const KernelMetadata& metadata() const override { return metadata_; }
  std::uint64_t variable(const std::string& name) const override { return program_.variable(name); }

  std::vector<Memory> constants() const override { return constants_; }

  double run(const KernelRun& run) override {
    DispatchShape shape;
    shape.grid = run.grid;
    shape.block = run.block;
    shape.group_bytes = kernel_.group_bytes + run.dynamic_lds;
    shape.private_bytes = kernel_.private_bytes;
    shape.cooperative = run.cooperative;
    const HiddenValues hidden{run.grid, run.block, run.dynamic_lds, run.cooperative,
                              device_.queue_address(run.cooperative)};
    return device_.run(kernel_.object, shape, build_kernarg(metadata_, run.arguments, hidden),
                       run.limit);
  }

 private:
  HsaDevice& device_;
  KernelMetadata metadata_;
  std::vector<Memory> constants_;
  LoadedProgram program_;
  LoadedProgram::Kernel kernel_;
};

}  // namespace

std::unique_ptr<LoadedKernel> load_hsa_kernel(HsaDevice& device, std::vector<std::byte> code,
                                              const std::string& kernel) {
  return std::make_unique<HsaKernel>(device, std::move(code), kernel);
}

}  // namespace geak::replay
