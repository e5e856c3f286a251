// The table of operations: what an instruction's mnemonic means to the interpreter.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "emulator/isa/instruction.h"

namespace geak::emulator {

enum class Fidelity : std::uint8_t {
  exact,
  approximate,  // Operation::note states the bound
  refused,      // Operation::note states why; executing it faults
  missing,
};

struct Operation {
  std::string mnemonic;  // without encoding suffix: v_add_f32, not v_add_f32_e32
  InstructionClass counter = InstructionClass::other;
  Fidelity fidelity = Fidelity::missing;
  std::string note;
  Handler handler = nullptr;
  // When set, chooses the handler of one decoded instruction (a variant without modifiers, ...).
  Handler (*select)(const Instruction&) = nullptr;
  // Bits: the IEEE operations of this handler obey the f32 or the f16/f64 fields of MODE.
  bool f32_mode = false;
  bool f64_mode = false;
};

// Filled once by every family's register function; read-only afterwards.
class OperationTable {
 public:
  // The table of the whole instruction set.
  static const OperationTable& instance();

  Operation& add(std::string_view mnemonic, InstructionClass counter, Handler handler,
                 Fidelity fidelity = Fidelity::exact, std::string_view note = {});
  // An instruction that is known and refused by name.
  Operation& refuse(std::string_view mnemonic, InstructionClass counter, std::string_view why);

  // nullptr if no family registered the mnemonic. Addresses stay valid.
  const Operation* find(std::string_view mnemonic) const;
  const std::map<std::string, Operation, std::less<>>& all() const { return operations_; }

 private:
  std::map<std::string, Operation, std::less<>> operations_;
};

// One function a family, in the family's file; operation_table.cpp calls them all.
void register_scalar_control(OperationTable& table);
void register_scalar_alu(OperationTable& table);
void register_scalar_moves(OperationTable& table);
void register_register_indexing(OperationTable& table);
void register_vector(OperationTable& table);
void register_matrix(OperationTable& table);
void register_memory(OperationTable& table);
void register_refused(OperationTable& table);

}  // namespace geak::emulator
