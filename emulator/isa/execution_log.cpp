#include "emulator/isa/execution_log.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "emulator/isa/disassembler.h"
#include "emulator/isa/program.h"
#include "emulator/wave/wave.h"

namespace geak::emulator {

std::string_view to_string(Fidelity fidelity) {
  switch (fidelity) {
    case Fidelity::exact:
      return "exact";
    case Fidelity::approximate:
      return "approximate";
    case Fidelity::refused:
      return "refused";
    case Fidelity::missing:
      break;
  }
  return "missing";
}

ExecutionLog* ExecutionLog::instance() {
  // Never destroyed: waves may still run while the process ends.
  static ExecutionLog* const log = []() -> ExecutionLog* {
    const char* path = std::getenv("GEAK_EMU_FIDELITY");
    if (!path || !*path) return nullptr;
    std::atexit([] { instance()->write(); });
    return new ExecutionLog(path);
  }();
  return log;
}

void ExecutionLog::add_unknown(const Wave& wave, const Instruction& instruction) {
  std::string name = "an undecodable instruction";
  if (wave.program && instruction.offset < wave.program->bytes()) {
    Disassembler disassembler(wave.program->arch());
    const auto decoded = disassembler.decode(wave.program->text().subspan(instruction.offset),
                                             wave.program->address_of(instruction));
    if (decoded.size > 0) name = base_mnemonic(decoded.mnemonic);
  }
  const std::lock_guard lock(mutex_);
  ++executed_[name].count;
}

void ExecutionLog::collect() {
  Counts& counts = of_this_thread();
  const std::lock_guard lock(mutex_);
  for (Counts::Entry& entry : counts.entries_) {
    if (entry.count == 0) continue;
    Executed& executed = executed_[entry.operation->mnemonic];
    executed.operation = entry.operation;
    executed.count += entry.count;
    entry.count = 0;
  }
}

void ExecutionLog::write() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  const std::lock_guard lock(mutex_);
  for (const auto& [name, executed] : executed_) {
    const auto fidelity = executed.operation ? executed.operation->fidelity : Fidelity::missing;
    list.push_back({{"instruction", name},
                    {"executed", executed.count},
                    {"fidelity", to_string(fidelity)},
                    {"note", executed.operation ? executed.operation->note : ""}});
  }
  std::ofstream(path_ + "." + std::to_string(::getpid()))
      << list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
}

}  // namespace geak::emulator
