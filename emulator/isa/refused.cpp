// Instructions that compute kernels do not use, refused by name.
#include "emulator/isa/operation.h"

namespace geak::emulator {

void register_refused(OperationTable& t) {
  for (const char* name : {"s_cbranch_g_fork", "s_cbranch_i_fork", "s_cbranch_join"})
    t.refuse(name, InstructionClass::branch, "fork and join branching is not emulated");
  for (const char* name : {"s_rfe_b64", "s_rfe_restore_b64"})
    t.refuse(name, InstructionClass::branch, "return from a trap handler, which no kernel is");
  t.refuse("s_setvskip", InstructionClass::other,
           "skipping of vector instructions is not emulated");
  t.refuse("s_setkill", InstructionClass::other, "killing of waves is the debugger's");
  t.refuse("s_endpgm_ordered_ps_done", InstructionClass::other,
           "ordered append is for pixel shaders");
  t.refuse("v_screen_partition_4se_b32", InstructionClass::valu,
           "screen coordinates are for graphics");
  for (const char* name :
       {"v_interp_p1_f32", "v_interp_p2_f32", "v_interp_mov_f32", "v_interp_p1ll_f16",
        "v_interp_p1lv_f16", "v_interp_p2_f16", "v_interp_p2_legacy_f16"})
    t.refuse(name, InstructionClass::valu, "interpolation of attributes is for graphics");
  t.refuse("image_sample", InstructionClass::other, "images are for graphics");
  for (const char* name :
       {"s_scratch_load_dword", "s_scratch_load_dwordx2", "s_scratch_load_dwordx4",
        "s_scratch_store_dword", "s_scratch_store_dwordx2", "s_scratch_store_dwordx4"})
    t.refuse(name, InstructionClass::scalar_memory, "scalar access to scratch is not emulated");
  t.refuse("exp", InstructionClass::other, "exports are for graphics");
}

}  // namespace geak::emulator
