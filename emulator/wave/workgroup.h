// Waves and workgroups with the memory they own, kept and reused by the thread that runs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/isa/memory/forecast.h"
#include "emulator/isa/memory/lds_patterns.h"
#include "emulator/model/memory_meter.h"
#include "emulator/model/wave_clock.h"
#include "emulator/wave/monitor.h"
#include "emulator/wave/wave.h"

namespace geak::emulator {

class Launch;

// Anonymous zero pages that grow and never shrink; untouched ones cost nothing.
class PageBuffer {
 public:
  PageBuffer() = default;
  PageBuffer(const PageBuffer&) = delete;
  PageBuffer& operator=(const PageBuffer&) = delete;
  ~PageBuffer();
  // At least `bytes`; the contents are lost when it has to grow. Throws std::bad_alloc.
  std::byte* ensure(std::size_t bytes);
  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// A wave and what the scheduler knows of it.
struct WaveSlot : Wave {
  WaveSlot();

  PageBuffer registers;
  PageBuffer scratch_memory;  // private segments of 64 lanes, interleaved by dword as on hardware
  std::byte* scratch = nullptr;
  std::uint64_t scratch_bytes = 0;  // of all lanes
  std::uint64_t gws_generation = 0;
  bool gws_waiting = false;
  // Memory instructions that no s_waitcnt has waited for; the model of time counts the waits.
  std::uint32_t outstanding_vector = 0;
  std::uint32_t waited_vector = 0;  // outstanding after the last wait: more now are new
  std::uint32_t outstanding_lds = 0;
  std::uint32_t outstanding_scalar = 0;
  WaveClock clock;
  std::uint64_t executed_at_barrier = 0;  // instructions up to the last one it passed
};

struct Workgroup {
  Launch* launch = nullptr;
  std::uint32_t id[3] = {};
  std::vector<std::unique_ptr<WaveSlot>> slots;  // grown as needed
  unsigned waves = 0;                            // of the slots, those in use
  unsigned ended = 0;
  PageBuffer lds;
  MemoryMeter* memory = nullptr;  // of the thread that runs it
  Forecast forecast;
  LdsPatterns lds_patterns;
  std::unique_ptr<MonitorData> monitored;
};

inline WaveSlot& slot_of(Wave& wave) { return static_cast<WaveSlot&>(wave); }

inline std::uint64_t executed_instructions(const Wave& wave) {
  // One by one, hence volatile: one of them was just counted, and the host would wait for that
  // store to become a part of a wider load.
  std::uint64_t sum = 0;
  for (const volatile std::uint64_t& executed : wave.executed) sum += executed;
  return sum;
}

// Cycles since the wave began, if it were alone on its SIMD: an instruction each four, and waits.
inline std::uint64_t cycles_of(const WaveSlot& wave) {
  return 4 * executed_instructions(wave) + wave.clock.stalled();
}

}  // namespace geak::emulator
