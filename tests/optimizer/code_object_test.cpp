// Reads code objects that clang 19 makes here; no device libraries are needed for these kernels.
#include "optimizer/code_object.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace geak::optimizer {
namespace {

namespace fs = std::filesystem;

class CodeObjectTest : public testing::Test {
 protected:
  CodeObjectTest() : folder_(fs::temp_directory_path() / ("geak-co-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~CodeObjectTest() override { fs::remove_all(folder_); }
  fs::path compile(const std::string& source) const {
    std::ofstream(folder_ / "k.hip") << "#define __global__ __attribute__((global))\n"
                                        "#define __shared__ __attribute__((shared))\n"
                                     << source;
    const auto output = folder_ / "k.co";
    const std::string command = std::string(GEAK_CLANG) +
                                " -x hip -nogpuinc -nogpulib --offload-arch=gfx90a -O2 "
                                "--cuda-device-only --no-gpu-bundle-output -c " +
                                (folder_ / "k.hip").string() + " -o " + output.string();
    EXPECT_EQ(std::system(command.c_str()), 0);
    return output;
  }
  fs::path folder_;
};

constexpr const char* kSource = R"(
namespace detail {
template <int N> __global__ void scan(int* out) {
  __shared__ int tile[N];
  tile[N - 1] = *out; __builtin_amdgcn_s_barrier(); *out = tile[0] + tile[N - 1];
}
template __global__ void scan<64>(int*);
template __global__ void scan<256>(int*);
}
__global__ void copy(const float* in, float* out, int n) { if (n) *out = *in; }
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(1, 128))) void plain(int* p) { *p = 1; }
)";

TEST_F(CodeObjectTest, ResourcesAndCode) {
  const auto kernels = read_kernels(compile(kSource));
  ASSERT_EQ(kernels.size(), 4u);
  const auto scan = find_kernel(kernels, "scan", "_ZN6detail4scanILi256EEEvPi");
  ASSERT_TRUE(scan);
  EXPECT_EQ(scan->static_lds, 256u * 4);
  EXPECT_EQ(scan->symbol, "_ZN6detail4scanILi256EEEvPi");
  EXPECT_FALSE(scan->code.empty());
  EXPECT_GT(scan->vgprs, 0u);
  const auto copy = find_kernel(kernels, "copy", "_Z8originalPKfPfi");
  ASSERT_TRUE(copy);
  EXPECT_GE(copy->kernarg_bytes, 20u);
  EXPECT_EQ(copy->static_lds, 0u);
  const auto plain = find_kernel(kernels, "plain", "plain");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->max_workgroup, 128u);
  EXPECT_FALSE(find_kernel(kernels, "scan", "_ZN6detail4scanILi128EEEvPi"));
  EXPECT_FALSE(find_kernel(kernels, "detail", "plain"));
}

TEST_F(CodeObjectTest, OtherFilesAreRefusedByName) {
  for (const char* content : {"", "no elf",
                              "\x7f"
                              "ELF broken"}) {
    const auto file = folder_ / "other";
    std::ofstream(file) << content;
    try {
      read_kernels(file);
      ADD_FAILURE() << content;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(file.string()), std::string::npos);
    }
  }
  EXPECT_THROW(read_kernels("/proc/self/exe"), std::runtime_error);
  EXPECT_THROW(read_kernels(folder_ / "missing"), std::runtime_error);
}

}  // namespace
}  // namespace geak::optimizer
