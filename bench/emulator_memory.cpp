// Kernels through the executor on one thread: memory bound, and a matrix product by MFMA.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "emulator/memory/page_map.h"
#include "emulator/model/counters.h"
#include "emulator/wave/dispatch.h"
#include "tests/emulator/isa/assembler.h"

namespace geak::emulator {
namespace {

// Begins pages, as what hipMalloc gives does.
template <class T>
struct PageAllocator {
  using value_type = T;
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), kAlignment));
  }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, kAlignment); }
  bool operator==(const PageAllocator&) const = default;

 private:
  static constexpr std::align_val_t kAlignment{4096};
};

// Memory that the GPU may use.
template <class T>
struct DeviceArray {
  explicit DeviceArray(std::size_t count) : of(count) { change(true); }
  ~DeviceArray() { change(false); }
  void change(bool add) {
    const auto address = reinterpret_cast<std::uint64_t>(of.data());
    add ? PageMap::instance().add(address, of.size() * sizeof(T))
        : PageMap::instance().remove(address, of.size() * sizeof(T));
  }
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(of.data()); }
  std::vector<T, PageAllocator<T>> of;
};

// A kernel of 64 VGPRs that gets its arguments in s[0:1] and its workgroup in s2 and s3.
class Kernel {
 public:
  Kernel(const std::string& source, const std::vector<std::uint64_t>& arguments)
      : assembled_(testing::assemble(Arch::gfx90a, source + "s_endpgm\n")),
        kernarg_(arguments.size()) {
    std::copy(arguments.begin(), arguments.end(), kernarg_.of.begin());
    code_ = std::make_shared<LoadedCode>();
    code_->executable = {{assembled_.text.data(), assembled_.text.data() + assembled_.text.size()}};
    put(44, 15);                          // RSRC3: accumulation registers from 64 on
    put(48, 7 | 0xf0u << 12 | 1u << 23);  // RSRC1: VGPRs, denormals kept, IEEE
    put(52, 2u << 1 | 3u << 7);           // RSRC2: two user SGPRs, workgroup ids X and Y
    put(56, 1u << 3);                     // the kernarg pointer
    dispatch_.code = code_;
    dispatch_.device = find_device("MI210");
    dispatch_.kernel_name = "benchmark";
    dispatch_.descriptor = descriptor_;
    dispatch_.entry = reinterpret_cast<std::uint64_t>(assembled_.text.data());
    dispatch_.kernarg_address = kernarg_.address();
    executor_ = make_executor(*dispatch_.device, 1);
  }

  void measure(benchmark::State& state, std::array<std::uint32_t, 2> workgroups,
               std::uint32_t work_items) {
    if (!assembled_.error.empty()) return state.SkipWithError(assembled_.error.c_str());
    dispatch_.grid = {workgroups[0] * work_items, workgroups[1], 1};
    dispatch_.workgroup = {work_items, 1, 1};
    std::uint64_t instructions = 0;
    for (auto _ : state) {
      const DispatchResult result = executor_->run(dispatch_);
      if (result.error) return state.SkipWithError(result.error->message.c_str());
      instructions += result.counters->instructions();
    }
    state.counters["wave_instructions_per_second_per_core"] =
        benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
  }

 private:
  void put(unsigned offset, std::uint32_t word) { std::memcpy(descriptor_ + offset, &word, 4); }

  testing::Assembled assembled_;
  DeviceArray<std::uint64_t> kernarg_;
  std::byte descriptor_[64] = {};
  std::shared_ptr<LoadedCode> code_;
  KernelDispatch dispatch_;
  std::unique_ptr<Executor> executor_;
};

// Copies 16 bytes a lane, four times a wave.
void memory_bound(benchmark::State& state) {
  constexpr std::size_t kBytes = 16u << 20;
  DeviceArray<std::uint32_t> from(kBytes / 4), to(kBytes / 4);
  Kernel kernel(
      "s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_lshl_b32 s8, s2, 14\nv_lshl_add_u32 v1, v0, 4, s8\n"
      "s_movk_i32 s9, 4\ns_waitcnt lgkmcnt(0)\nloop:\n"
      "global_load_dwordx4 v[4:7], v1, s[4:5]\ns_waitcnt vmcnt(0)\n"
      "global_store_dwordx4 v1, v[4:7], s[6:7]\nv_add_u32_e32 v1, 0x1000, v1\n"
      "s_add_i32 s9, s9, -1\ns_cmp_lg_u32 s9, 0\ns_cbranch_scc1 loop\n",
      {from.address(), to.address()});
  kernel.measure(state, {kBytes >> 14, 1}, 256);
}
BENCHMARK(memory_bound)->Unit(benchmark::kMillisecond);

// C = A * B, 1024 x 1024 x 1024, B transposed: a wave a tile of 32 x 32.
std::string matrix_product() {
  std::string source =
      "s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_load_dwordx2 s[8:9], s[0:1], 0x10\n"
      "v_and_b32_e32 v1, 31, v0\nv_lshrrev_b32_e32 v2, 5, v0\nv_lshlrev_b32_e32 v3, 11, v1\n"
      "v_lshl_or_b32 v3, v2, 3, v3\ns_lshl_b32 s10, s2, 16\ns_lshl_b32 s11, s3, 16\n"
      "v_add_u32_e32 v4, s10, v3\nv_add_u32_e32 v5, s11, v3\ns_movk_i32 s12, 0x80\n";
  for (int n = 16; n < 32; ++n) source += "v_mov_b32_e32 v" + std::to_string(n) + ", 0\n";
  source +=
      "s_waitcnt lgkmcnt(0)\nloop:\nglobal_load_dwordx2 v[6:7], v4, s[4:5]\n"
      "global_load_dwordx2 v[8:9], v5, s[6:7]\nv_add_u32_e32 v4, 16, v4\nv_add_u32_e32 v5, 16, v5\n"
      "s_waitcnt vmcnt(0)\nv_mfma_f32_32x32x8f16 v[16:31], v[6:7], v[8:9], v[16:31]\n"
      "s_add_i32 s12, s12, -1\ns_cmp_lg_u32 s12, 0\ns_cbranch_scc1 loop\n"
      "v_lshlrev_b32_e32 v10, 14, v2\nv_lshl_or_b32 v10, v1, 2, v10\ns_lshl_b32 s13, s2, 17\n"
      "s_lshl_b32 s14, s3, 7\ns_add_i32 s13, s13, s14\nv_add_u32_e32 v10, s13, v10\n";
  for (int n = 0; n < 16; ++n) {
    const int row = n % 4 + 8 * (n / 4);
    source += "v_add_u32_e32 v11, " + std::to_string(row * 4096) +
              ", v10\nglobal_store_dword v11, v" + std::to_string(16 + n) + ", s[8:9]\n";
  }
  return source;
}

void gemm_mfma_f16_1024(benchmark::State& state) {
  constexpr std::size_t kSize = 1024;
  DeviceArray<_Float16> a(kSize * kSize), b(kSize * kSize);
  DeviceArray<float> c(kSize * kSize);
  for (std::size_t n = 0; n < a.of.size(); ++n) {
    a.of[n] = static_cast<_Float16>(static_cast<float>(n * 7 % 5) - 2);
    b.of[n] = static_cast<_Float16>(static_cast<float>(n * 11 % 7) - 3);
  }
  Kernel(matrix_product(), {a.address(), b.address(), c.address()})
      .measure(state, {kSize / 32, kSize / 32}, 64);
  for (const std::size_t row : {0, 37, 1023}) {
    const std::size_t column = (row * 31 + 5) % kSize;
    float expected = 0;
    for (std::size_t k = 0; k < kSize; ++k)
      expected +=
          static_cast<float>(a.of[row * kSize + k]) * static_cast<float>(b.of[column * kSize + k]);
    if (c.of[row * kSize + column] != expected) return state.SkipWithError("wrong product");
  }
}
BENCHMARK(gemm_mfma_f16_1024)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace geak::emulator
