#include "emulator/wave/decoded_programs.h"

namespace geak::emulator {

DecodedPrograms::DecodedPrograms(const LoadedCode& code) : spills_(read_spill_counts(code.image)) {
  for (const LoadedCode::Range& range : code.executable) {
    const auto begin = reinterpret_cast<std::uint64_t>(range.begin);
    const auto end = reinterpret_cast<std::uint64_t>(range.end);
    std::vector<std::uint32_t> entries;
    for (const LoadedCode::Symbol& symbol : code.functions) {
      if (symbol.address >= begin && symbol.address < end)
        entries.push_back(static_cast<std::uint32_t>(symbol.address - begin));
    }
    programs_.push_back(std::make_unique<Program>(
        code.arch, std::span<const std::byte>(range.begin, range.end), begin, entries));
  }
}

const DecodedPrograms& DecodedPrograms::of(const LoadedCode& code) {
  const std::lock_guard lock(code.decoded_mutex);
  if (!code.decoded) code.decoded = std::make_shared<DecodedPrograms>(code);
  return static_cast<const DecodedPrograms&>(*code.decoded);
}

SpillCounts DecodedPrograms::spills(std::string_view kernel) const {
  const auto entry = spills_.find(kernel);
  return entry == spills_.end() ? SpillCounts{} : entry->second;
}

DecodedPrograms::Place DecodedPrograms::find(std::uint64_t address) const {
  for (const auto& program : programs_) {
    if (address >= program->address() && address - program->address() < program->bytes())
      return {program.get(), program->at(address)};
  }
  return {};
}

}  // namespace geak::emulator
