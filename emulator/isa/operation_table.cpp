#include <stdexcept>

#include "emulator/isa/interpreter.h"
#include "emulator/isa/operation.h"

namespace geak::emulator {

void register_scalar_atomics(OperationTable& table);

const OperationTable& OperationTable::instance() {
  static const OperationTable table = [] {
    OperationTable t;
    register_scalar_control(t);
    register_scalar_alu(t);
    register_scalar_moves(t);
    register_register_indexing(t);
    register_vector(t);
    register_matrix(t);
    register_memory(t);
    register_scalar_atomics(t);
    register_refused(t);
    return t;
  }();
  return table;
}

Operation& OperationTable::add(std::string_view mnemonic, InstructionClass counter, Handler handler,
                               Fidelity fidelity, std::string_view note) {
  auto [entry, is_new] = operations_.try_emplace(std::string(mnemonic));
  if (!is_new) throw std::logic_error("registered twice: " + std::string(mnemonic));
  Operation& operation = entry->second;
  operation.mnemonic = mnemonic;
  operation.counter = counter;
  operation.handler = handler;
  operation.fidelity = fidelity;
  operation.note = note;
  return operation;
}

Operation& OperationTable::refuse(std::string_view mnemonic, InstructionClass counter,
                                  std::string_view why) {
  return add(mnemonic, counter, execute_refused, Fidelity::refused, why);
}

const Operation* OperationTable::find(std::string_view mnemonic) const {
  const auto entry = operations_.find(mnemonic);
  return entry == operations_.end() ? nullptr : &entry->second;
}

}  // namespace geak::emulator
