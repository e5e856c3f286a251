#include <llvm/BinaryFormat/ELF.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "emulator/hsa/disguise_marks.h"
#include "emulator/hsa/executable.h"
#include "emulator/hsa/guard.h"
#include "emulator/memory/page_map.h"
#include "emulator/wave/kernel_notes.h"

namespace geak::emulator {
namespace {

void check_target(const CodeObject& object, const Agent& agent) {
  // A gfx90a object may run on a gfx942 device: the HIP runtime's own kernels do when agents
  // report gfx90a. The other way round never.
  const Arch reported = agent.name == to_string(Arch::gfx942) ? Arch::gfx942 : Arch::gfx90a;
  if (object.arch != agent.device->arch && object.arch != reported) {
    throw CodeObjectError("code object for " + std::string(to_string(object.arch)) +
                          ", but the device is a " + std::string(to_string(agent.device->arch)));
  }
  if (object.xnack == Feature::on) {
    throw CodeObjectError("code object for xnack+, but the device runs with xnack-");
  }
  if (object.sram_ecc == Feature::off) {
    throw CodeObjectError("code object for sramecc-, but the device runs with sramecc+");
  }
}

std::uint64_t symbol_value(const CodeObject::Relocation& relocation, std::uint64_t base,
                           const Definitions& definitions) {
  if (relocation.defined) return base + relocation.symbol_address;
  if (relocation.symbol_name.empty()) return 0;
  const auto found = definitions.find(relocation.symbol_name);
  if (found != definitions.end()) return found->second;
  if (relocation.weak) return 0;
  report_error("code object: undefined symbol '" + relocation.symbol_name + "'");
  throw StatusError{HSA_STATUS_ERROR_VARIABLE_UNDEFINED};
}

template <typename T>
void store(std::uint64_t address, std::uint64_t value) {
  const T narrowed = static_cast<T>(value);
  std::memcpy(reinterpret_cast<void*>(address), &narrowed, sizeof narrowed);
}

void relocate(const CodeObject::Relocation& relocation, std::uint64_t base,
              const Definitions& definitions) {
  namespace elf = llvm::ELF;
  const std::uint64_t place = base + relocation.address;
  const auto addend = static_cast<std::uint64_t>(relocation.addend);
  if (relocation.type == elf::R_AMDGPU_RELATIVE64)
    return store<std::uint64_t>(place, base + addend);
  const std::uint64_t target = symbol_value(relocation, base, definitions) + addend;
  switch (relocation.type) {
    case elf::R_AMDGPU_ABS64:
      return store<std::uint64_t>(place, target);
    case elf::R_AMDGPU_ABS32:
    case elf::R_AMDGPU_ABS32_LO:
      return store<std::uint32_t>(place, target);
    case elf::R_AMDGPU_ABS32_HI:
      return store<std::uint32_t>(place, target >> 32);
    case elf::R_AMDGPU_REL64:
      return store<std::uint64_t>(place, target - place);
    case elf::R_AMDGPU_REL32:
    case elf::R_AMDGPU_REL32_LO:
      return store<std::uint32_t>(place, target - place);
    case elf::R_AMDGPU_REL32_HI:
      return store<std::uint32_t>(place, (target - place) >> 32);
  }
}

void map_segments(const CodeObject& object, LoadedObject& loaded) {
  void* memory = mmap(nullptr, object.memory_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  loaded.base = reinterpret_cast<std::uint64_t>(memory);
  loaded.bytes = object.memory_bytes;
  loaded.code->load_base = loaded.base;
  PageMap::instance().add(loaded.base, loaded.bytes);
  for (const auto& segment : object.segments) {
    auto* to = reinterpret_cast<std::byte*>(loaded.base + segment.address);
    std::memcpy(to, segment.contents.data(), segment.contents.size());
    if (segment.executable) loaded.code->executable.push_back({to, to + segment.memory_bytes});
  }
}

}  // namespace

LoadedObject::~LoadedObject() {
  if (!base) return;
  PageMap::instance().remove(base, bytes);
  munmap(reinterpret_cast<void*>(base), bytes);
}

std::unique_ptr<LoadedObject> load_code_object(Agent& agent, std::span<const std::byte> bytes,
                                               const Definitions& definitions,
                                               std::vector<ExecutableSymbol>& symbols) {
  auto loaded = std::make_unique<LoadedObject>();
  loaded->agent = &agent;
  LoadedCode& code = *loaded->code;
  code.image.assign(bytes.begin(), bytes.end());
  const CodeObject object = parse_code_object(code.image);
  check_target(object, agent);
  code.arch = object.arch;
  code.code_object_version = object.version;
  if (marked_abi_version(code.image))
    code.dynamic_lds_arguments =
        read_hidden_offsets(code.image, "hidden_none", sizeof(std::uint32_t));
  map_segments(object, *loaded);
  for (const auto& relocation : object.relocations) {
    relocate(relocation, loaded->base, definitions);
  }
  for (const auto& symbol : object.symbols) {
    const std::uint64_t address = loaded->base + symbol.address;
    if (symbol.kind == CodeObject::Symbol::Kind::function) {
      code.functions.push_back({symbol.name, address, symbol.bytes});
    } else {
      symbols.push_back({symbol.kind, symbol.name, &agent, address, symbol.bytes, symbol.constant,
                         symbol.local, loaded.get()});
    }
  }
  std::sort(code.functions.begin(), code.functions.end(),
            [](const auto& a, const auto& b) { return a.address < b.address; });
  return loaded;
}

}  // namespace geak::emulator
