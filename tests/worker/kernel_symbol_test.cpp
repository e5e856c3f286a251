// Kernels by the names that clang gives them for AMD and nvcc for NVIDIA.
#include "worker/kernel_symbol.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace geak::worker {
namespace {

const std::vector<std::string> kFunctions = {
    "_Z11convolutionILm5EEvPKfPf5uint2",
    "_Z11convolutionILm7EEvPKfPf5uint2",
    "_Z12convolution2PKfPf",
    "_Z26convolution__geak_9b51b5fdILm5EEvPKfPf5uint2",
    "_ZN6detail4scanILi4EEEvPi",
    "_ZN6detail4sortEPi",
    "_ZN1x36_GLOBAL__N__1b3bd767_4_t_cu_1533cd964anonEPf",
    "plain",
};

TEST(OriginalSymbol, VectorTypesAreMangledOtherwise) {
  EXPECT_EQ(original_symbol(kFunctions, "_Z11convolutionILm5EEvPKfPf15HIP_vector_typeIjLj2EE"),
            "_Z11convolutionILm5EEvPKfPf5uint2");
  EXPECT_EQ(original_symbol(kFunctions, "_Z11convolutionILm7EEvPKfPf15HIP_vector_typeIjLj2EE"),
            "_Z11convolutionILm7EEvPKfPf5uint2");
}

TEST(OriginalSymbol, NamespacesAndCNames) {
  EXPECT_EQ(original_symbol(kFunctions, "_ZN6detail4scanILi4EEEvPi"), "_ZN6detail4scanILi4EEEvPi");
  EXPECT_EQ(original_symbol(kFunctions, "_ZN1x12_GLOBAL__N_14anonEPf"),
            "_ZN1x36_GLOBAL__N__1b3bd767_4_t_cu_1533cd964anonEPf");
  EXPECT_EQ(original_symbol(kFunctions, "plain"), "plain");
}

TEST(OriginalSymbol, AnotherKernelIsNoSubstitute) {
  EXPECT_THROW(original_symbol(kFunctions, "_ZN6detail4scarEPi"), std::runtime_error);
  EXPECT_THROW(original_symbol(kFunctions, "_Z10convolutioPf"), std::runtime_error);
  EXPECT_THROW(original_symbol(kFunctions, "_Z"), std::runtime_error);
  // Two instantiations, and nothing says which.
  EXPECT_THROW(original_symbol(kFunctions, "_Z11convolutionIfEvPf"), std::runtime_error);
}

TEST(CandidateSymbol, ByItsUniqueName) {
  EXPECT_EQ(candidate_symbol(kFunctions, "convolution__geak_9b51b5fd"),
            "_Z26convolution__geak_9b51b5fdILm5EEvPKfPf5uint2");
  EXPECT_THROW(candidate_symbol(kFunctions, "convolution__geak_00000000"), std::runtime_error);
  EXPECT_THROW(candidate_symbol(kFunctions, "convolution"), std::runtime_error);  // two
}

}  // namespace
}  // namespace geak::worker
