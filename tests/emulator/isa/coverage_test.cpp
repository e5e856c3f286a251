// docs/isa-coverage.md: every instruction that LLVM 19 knows for the two targets, and how far the
// emulator has it. The page is generated here; the test fails when it is stale
// (GEAK_UPDATE_DOCS=1 in the environment rewrites it).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "emulator/isa/disassembler.h"
#include "emulator/isa/operation.h"
#include "tests/emulator/isa/assembler.h"
#include "tests/emulator/isa/conformance.h"

namespace geak::emulator::testing {
namespace {

using Words = std::vector<u32>;

constexpr u32 v(u32 number) { return 256 + number; }

// Encodings of every opcode number of every format, with operands that suit most of them: several
// attempts where instructions of one format differ in what they accept.
void vector_encodings(std::vector<Words>& all) {
  for (u32 op = 0; op < 256; ++op) {
    all.push_back({0x7e000000u | 2u << 17 | op << 9 | v(2)});
    all.push_back({0x7c000000u | op << 17 | 4u << 9 | v(2)});
    if (op < 64) all.push_back({op << 25 | 2u << 17 | 4u << 9 | v(6), 0x3f800000u});
  }
  for (u32 op = 0; op < 1024; ++op) {
    const u32 word = 0xd0000000u | op << 16 | 2;
    for (const u32 sources : {v(2) | v(4) << 9 | v(6) << 18, v(2) | v(4) << 9, v(2) | 4u << 9,
                              v(2) | v(4) << 9 | 6u << 18, v(2)})
      all.push_back({word, sources});
    all.push_back({word | 6u << 8, v(2) | v(4) << 9 | v(6) << 18});
  }
  for (u32 op = 0; op < 128; ++op)
    for (const u32 sources :
         {v(4) | v(8) << 9 | v(16) << 18 | 3u << 27, v(4) | v(8) << 9 | 3u << 27, v(4)})
      all.push_back({0xd3800000u | op << 16 | 32 | 1u << 14, sources});
  for (u32 op = 0; op < 4; ++op) all.push_back({0xd4000000u | op << 16 | 2u << 18 | 3});
}

void scalar_encodings(std::vector<Words>& all) {
  for (u32 op = 0; op < 256; ++op) {
    all.push_back({0xbe800000u | op << 8 | 4u << 16 | 8});
    all.push_back({0xc0000000u | op << 18 | 1u << 17 | 16u << 6 | 4, 0x10});
    all.push_back({0xc0000000u | op << 18, 0});
    if (op >= 128) continue;
    all.push_back({0x80000000u | op << 23 | 4u << 16 | 12u << 8 | 8});
    all.push_back({0xbf000000u | op << 16 | 12u << 8 | 8});
    all.push_back({0xbf800000u | op << 16});
    if (op < 32) all.push_back({0xb0000000u | op << 23 | 4u << 16 | 1, 0x3f800000u});
  }
}

void memory_encodings(std::vector<Words>& all) {
  for (u32 op = 0; op < 256; ++op) {
    all.push_back({0xd8000000u | op << 17, 16u << 24 | 8u << 16 | 4u << 8 | 2});
    all.push_back({0xd8000000u | op << 17 | 1u << 16, 4u << 8 | 2});
    if (op >= 128) continue;
    for (u32 segment = 0; segment < 3; ++segment) {
      const u32 word = 0xdc000000u | op << 18 | segment << 14, address = 0x7fu << 16 | 4u << 8;
      all.push_back({word, address | 8u << 24 | 2});
      all.push_back({word | 1u << 16, address | 8u << 24 | 2});
      all.push_back({word | 1u << 16, address});
      all.push_back({word, 4u << 8 | 2});
    }
    all.push_back({0xe0000000u | op << 18 | 1u << 12, 4u << 24 | 2u << 16 | 4u << 8 | 2});
    all.push_back({0xe0000000u | op << 18, 0});
    all.push_back({0xf0000000u | op << 18 | 1u << 8, 4u << 21 | 2u << 16 | 4u << 8 | 2});
    if (op < 16)
      all.push_back({0xe8000000u | op << 15 | 1u << 12 | 4u << 19 | 4u << 23,
                     4u << 24 | 2u << 16 | 4u << 8 | 2});
  }
  all.push_back({0xc400000fu, 0});
}

// Mnemonics of the encodings that LLVM disassembles and, from that text, assembles for the target
// (the disassembler knows some instructions of its relatives).
std::set<std::string> mnemonics_of(Arch arch) {
  std::vector<Words> encodings;
  vector_encodings(encodings);
  scalar_encodings(encodings);
  memory_encodings(encodings);
  Disassembler disassembler(arch);
  std::map<std::string, std::string> name_by_line;
  std::string source;
  for (Words words : encodings) {
    words.resize(words.size() + 3);  // room for what an encoding may go on with
    const auto bytes = std::as_bytes(std::span(words));
    const auto result = disassembler.decode(bytes, 0);
    if (result.size == 0) continue;
    std::string line = disassembler.text(bytes, 0);
    std::replace(line.begin(), line.end(), '\t', ' ');
    source += line + "\n";
    name_by_line.emplace(line, base_mnemonic(result.mnemonic));
  }
  std::istringstream errors(assemble(arch, source).error);
  for (std::string error; std::getline(errors, error);) {
    for (std::size_t at = error.find(": "); at != std::string::npos; at = error.find(": ", at + 1))
      name_by_line.erase(error.substr(at + 2));
  }
  std::set<std::string> names;
  for (const auto& [line, name] : name_by_line) names.insert(name);
  return names;
}

// Words of the test sources: an instruction that a test assembles stands there by name.
void add_words_of_tests(std::set<std::string>& words) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           std::filesystem::path(GEAK_SOURCE_DIR) / "tests" / "emulator")) {
    if (entry.path().extension() != ".cpp") continue;
    std::ifstream file(entry.path());
    std::string line, word;
    while (std::getline(file, line)) {
      std::string code = line.substr(0, line.find("//"));
      // An escape (a new line in assembly) separates words.
      for (std::size_t at = code.find('\\'); at != std::string::npos; at = code.find('\\', at + 1))
        if (at + 1 < code.size()) code[at + 1] = ' ';
      for (const char c : code + ' ') {
        if (std::islower(static_cast<unsigned char>(c)) ||
            std::isdigit(static_cast<unsigned char>(c)) || c == '_') {
          word += c;
        } else {
          if (word.size() > 3) words.emplace(base_mnemonic(word));
          word.clear();
        }
      }
    }
  }
}

std::set<std::string> tested_mnemonics() {
  std::set<std::string> names;
  add_words_of_tests(names);
  for (const VectorCase& test : vector_cases()) names.emplace(base_mnemonic(test.mnemonic));
  for (const ScalarCase& test : scalar_cases()) names.emplace(base_mnemonic(test.mnemonic));
  names.insert(other_tested().begin(), other_tested().end());
  return names;
}

std::string fidelity_of(const Operation* operation) {
  if (operation == nullptr) return "";
  switch (operation->fidelity) {
    case Fidelity::exact:
      return operation->note.empty() ? "exact" : "exact: " + operation->note;
    case Fidelity::approximate:
      return "approximate: " + operation->note;
    case Fidelity::refused:
      return "refused: " + operation->note;
    case Fidelity::missing:
      return "";
  }
  return "";
}

std::string page() {
  std::map<std::string, std::string> targets;
  for (const std::string& name : mnemonics_of(Arch::gfx90a)) targets[name] = "gfx90a";
  for (const std::string& name : mnemonics_of(Arch::gfx942)) {
    std::string& text = targets[name];
    text += text.empty() ? "gfx942" : ", gfx942";
  }
  const std::set<std::string> tests = tested_mnemonics();
  unsigned tested = 0, refused = 0, missing = 0;
  std::ostringstream rows;
  for (const auto& [name, target] : targets) {
    const Operation* operation = OperationTable::instance().find(name);
    std::string status;
    if (operation == nullptr) {
      status = "missing";
      ++missing;
    } else if (operation->fidelity == Fidelity::refused) {
      status = "refused";
      ++refused;
    } else if (tests.contains(name)) {
      status = "tested";
      ++tested;
    } else {
      status = "missing a test";
      ++missing;
    }
    rows << "| `" << name << "` | " << target << " | " << status << " | " << fidelity_of(operation)
         << " |\n";
  }
  std::ostringstream text;
  text << "# Instructions of the emulated GPUs\n\n"
          "Generated by the test `Coverage.PageIsCurrent`; `GEAK_UPDATE_DOCS=1` rewrites it.\n"
          "Every instruction that LLVM 19 can decode for gfx90a or gfx942, encodings of one "
          "operation "
          "counted once.\n\n"
          "- tested: executed by a test that compares it with an independently computed result\n"
          "- refused: a program that executes it gets an error that names it\n"
          "- missing: not implemented, or implemented without a test (\"missing a test\")\n\n"
          "Exact is bit for bit, except for the payload and sign of NaNs.\n\n"
          "| instruction | targets | status | fidelity |\n|---|---|---|---|\n"
       << rows.str() << "\ntested " << tested << ", refused " << refused << ", missing " << missing
       << "\n";
  return text.str();
}

TEST(Coverage, PageIsCurrent) {
  const std::filesystem::path path =
      std::filesystem::path(GEAK_SOURCE_DIR) / "docs" / "isa-coverage.md";
  const std::string wanted = page();
  if (const char* update = std::getenv("GEAK_UPDATE_DOCS"); update != nullptr && *update == '1')
    std::ofstream(path) << wanted;
  std::ifstream file(path);
  std::stringstream found;
  found << file.rdbuf();
  EXPECT_TRUE(found.str() == wanted)
      << path << " is stale: run this test with GEAK_UPDATE_DOCS=1 in the environment";
}

}  // namespace
}  // namespace geak::emulator::testing
