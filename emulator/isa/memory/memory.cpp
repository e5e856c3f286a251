#include "emulator/isa/operation.h"

namespace geak::emulator {

void register_scalar_memory(OperationTable& table);
void register_waits(OperationTable& table);
void register_flat(OperationTable& table);
void register_buffer(OperationTable& table);
void register_lds(OperationTable& table);
void register_lane_exchange(OperationTable& table);
void register_global_wave_sync(OperationTable& table);

void register_memory(OperationTable& table) {
  register_scalar_memory(table);
  register_waits(table);
  register_flat(table);
  register_buffer(table);
  register_lds(table);
  register_lane_exchange(table);
  register_global_wave_sync(table);
}

}  // namespace geak::emulator
