#include "emulator/hsa/code_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "emulator/hsa/disguise_marks.h"
#include "emulator/hsa/executable.h"
#include "emulator/hsa/guard.h"
#include "emulator/memory/page_map.h"
#include "tests/emulator/hsa/assemble.h"

namespace geak::emulator {
namespace {

using ::testing::HasSubstr;

// A kernel, a variable, a pointer to it (RELATIVE64) and one to a variable of another file (ABS64).
constexpr const char* kSource = R"(
  .text
  .globl empty
  .p2align 8
  .type empty,@function
empty:
  s_endpgm
.Lend:
  .size empty, .Lend-empty
  .rodata
  .p2align 6
  .amdhsa_kernel empty
    .amdhsa_group_segment_fixed_size 32
    .amdhsa_private_segment_fixed_size 16
    .amdhsa_kernarg_size 24
    .amdhsa_next_free_vgpr 1
    .amdhsa_next_free_sgpr 1
    .amdhsa_accum_offset 4
  .end_amdhsa_kernel
  .data
  .globl value
  .type value,@object
  .size value, 4
value:
  .long 42
  .p2align 3
  .globl pointer
  .type pointer,@object
  .size pointer, 8
pointer:
  .quad value
  .globl outside
  .type outside,@object
  .size outside, 8
outside:
  .quad external
)";

const std::vector<std::byte>& object() {
  static const auto bytes = assemble(kSource, "gfx90a");
  return bytes;
}

const CodeObject::Symbol* find(const CodeObject& code, const std::string& name) {
  for (const auto& symbol : code.symbols) {
    if (symbol.name == name) return &symbol;
  }
  return nullptr;
}

template <typename T>
T read(std::uint64_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

class Loaded {
 public:
  explicit Loaded(const std::vector<std::byte>& bytes, Definitions definitions = {})
      : agent_(make_gpu_agent(*default_device(Arch::gfx90a), Arch::gfx90a, 0, 1)),
        object_(load_code_object(*agent_, bytes, definitions, symbols_)) {}
  const LoadedObject& object() const { return *object_; }
  const ExecutableSymbol& symbol(const std::string& name) const {
    for (const auto& each : symbols_) {
      if (each.name == name) return each;
    }
    throw std::runtime_error("no symbol " + name);
  }

 private:
  std::unique_ptr<Agent> agent_;
  std::vector<ExecutableSymbol> symbols_;
  std::unique_ptr<LoadedObject> object_;
};

TEST(CodeObject, ReadsTargetSegmentsAndSymbols) {
  const auto code = parse_code_object(object());
  EXPECT_EQ(code.arch, Arch::gfx90a);
  EXPECT_EQ(code.version, 4u);
  EXPECT_EQ(code.xnack, Feature::any);
  ASSERT_NE(find(code, "empty.kd"), nullptr);
  EXPECT_EQ(find(code, "empty.kd")->kind, CodeObject::Symbol::Kind::kernel_descriptor);
  ASSERT_NE(find(code, "empty"), nullptr);
  EXPECT_EQ(find(code, "empty")->kind, CodeObject::Symbol::Kind::function);
  ASSERT_NE(find(code, "value"), nullptr);
  EXPECT_EQ(find(code, "value")->bytes, 4u);
  EXPECT_FALSE(find(code, "value")->constant);
}

TEST(CodeObject, ReadsVersion5AndGfx942) {
  const auto code = parse_code_object(assemble(kSource, "gfx942", 5));
  EXPECT_EQ(code.arch, Arch::gfx942);
  EXPECT_EQ(code.version, 5u);
}

TEST(CodeObject, MarkRestoresGfx942) {
  auto bytes = object();
  std::memcpy(bytes.data() + kGfx942MarkOffset, kGfx942Mark, sizeof kGfx942Mark);
  EXPECT_EQ(parse_code_object(bytes).arch, Arch::gfx942);
}

TEST(CodeObject, LoadsAndRelocates) {
  const Loaded loaded(object(), {{"external", 0xabcdef0123456789}});
  const auto value = loaded.symbol("value").address;
  EXPECT_EQ(read<int>(value), 42);
  EXPECT_EQ(read<std::uint64_t>(loaded.symbol("pointer").address), value);
  EXPECT_EQ(read<std::uint64_t>(loaded.symbol("outside").address), 0xabcdef0123456789);
  EXPECT_EQ(read<std::uint32_t>(loaded.symbol("empty.kd").address), 32u);
  EXPECT_TRUE(PageMap::instance().covers(value));
  ASSERT_EQ(loaded.object().code->functions.size(), 1u);
  EXPECT_EQ(loaded.object().code->functions[0].name, "empty");
}

TEST(CodeObject, UnmapsWithTheObject) {
  std::uint64_t value = 0;
  {
    const Loaded loaded(object(), {{"external", 1}});
    value = loaded.symbol("value").address;
  }
  EXPECT_FALSE(PageMap::instance().covers(value));
}

TEST(CodeObject, UndefinedSymbolIsAnError) {
  try {
    const Loaded loaded(object());
    FAIL() << "loaded with an undefined symbol";
  } catch (const StatusError& error) {
    EXPECT_EQ(error.status, HSA_STATUS_ERROR_VARIABLE_UNDEFINED);
  }
}

TEST(CodeObject, RefusesOtherTargets) {
  try {
    const Loaded loaded(assemble(kSource, "gfx942"), {{"external", 1}});
    FAIL() << "a gfx942 object loaded on a gfx90a";
  } catch (const CodeObjectError& error) {
    EXPECT_THAT(error.what(), HasSubstr("gfx942"));
  }
  EXPECT_THROW(Loaded(assemble("s_endpgm", "gfx1030")), CodeObjectError);
}

TEST(CodeObject, EveryTruncationIsRefusedOrLoads) {
  for (std::size_t size = 0; size < object().size(); size += 7) {
    const std::vector<std::byte> part(object().begin(),
                                      object().begin() + static_cast<std::ptrdiff_t>(size));
    try {
      parse_code_object(part);
    } catch (const CodeObjectError& error) {
      EXPECT_STRNE(error.what(), "");
    }
  }
}

TEST(CodeObject, DamagedBytesNeverCrash) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    auto bytes = object();
    for (int i = 0; i < 8; ++i) {
      // Headers lie at both ends: damage them most often.
      const std::size_t from_end =
          random() % 2 ? bytes.size() - 1 - random() % 1200 : random() % 600;
      bytes[from_end] = static_cast<std::byte>(random());
    }
    try {
      const Loaded loaded(bytes, {{"external", 1}});
    } catch (const CodeObjectError&) {
    } catch (const StatusError&) {
    } catch (const std::bad_alloc&) {
    }
  }
}

}  // namespace
}  // namespace geak::emulator
