// How fast the interpreter executes arithmetic: wavefront instructions a second on one core.
#include <benchmark/benchmark.h>

#include <numeric>
#include <string>

#include "tests/emulator/isa/machine.h"

namespace geak::emulator {
namespace {

constexpr int kIterations = 10000;

std::uint64_t executed(const Wave& wave) {
  return std::accumulate(std::begin(wave.executed), std::end(wave.executed), std::uint64_t{0});
}

// A loop of `body` with the scalar instructions that a compiler makes around it.
void run_loop(benchmark::State& state, const std::string& body) {
  testing::Machine machine;
  const std::string source = "s_movk_i32 s2, " + std::to_string(kIterations) + "\nloop:\n" + body +
                             "s_add_i32 s2, s2, -1\ns_cmp_lg_u32 s2, 0\ns_cbranch_scc1 loop\n";
  if (!machine.load(Arch::gfx90a, source)) return state.SkipWithError(machine.error().c_str());
  for (auto _ : state) machine.run();
  if (machine.wave().state != WaveState::ended)
    return state.SkipWithError(machine.wave().fault_message.c_str());
  state.counters["wave_instructions_per_second_per_core"] = benchmark::Counter(
      static_cast<double>(executed(machine.wave())), benchmark::Counter::kIsRate);
}

void alu_bound(benchmark::State& state) {
  std::string body;
  for (int n = 0; n < 8; ++n) {
    const std::string d = "v" + std::to_string(8 + n);
    body += "v_fma_f32 " + d + ", v1, v2, " + d + "\n";
  }
  run_loop(state, body);
}
BENCHMARK(alu_bound);

// The mix of an address computation: scalar sources, constants, carries, a comparison.
void alu_mixed(benchmark::State& state) {
  run_loop(state,
           "v_mul_f32_e32 v3, 2.0, v1\nv_add_f32_e32 v4, s4, v3\nv_lshlrev_b32_e32 v5, 2, v1\n"
           "v_add_co_u32_e32 v6, vcc, s6, v5\nv_addc_co_u32_e32 v7, vcc, 0, v2, vcc\n"
           "v_cmp_lt_f32_e32 vcc, v3, v4\nv_cndmask_b32_e32 v8, v3, v4, vcc\n"
           "v_mad_u64_u32 v[10:11], s[8:9], v1, s10, v[12:13]\n");
}
BENCHMARK(alu_mixed);

// Half of the lanes are inactive: results are blended.
void alu_divergent(benchmark::State& state) {
  run_loop(state,
           "s_mov_b64 exec, 0x5555\nv_fma_f32 v8, v1, v2, v8\nv_fma_f32 v9, v1, v2, v9\n"
           "v_fma_f32 v10, v1, v2, v10\nv_fma_f32 v11, v1, v2, v11\n");
}
BENCHMARK(alu_divergent);

void transcendental(benchmark::State& state) {
  run_loop(state,
           "v_exp_f32_e32 v3, v1\nv_log_f32_e32 v4, v2\nv_sin_f32_e32 v5, v1\n"
           "v_rcp_f32_e32 v6, v2\n");
}
BENCHMARK(transcendental);

}  // namespace
}  // namespace geak::emulator
