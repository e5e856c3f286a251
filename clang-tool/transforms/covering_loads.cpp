#include "clang-tool/transforms/covering_loads.h"

namespace geak::clang_tool::transforms {
std::string CoveringLoads::types() const {
  const std::string aligned =
      "struct __attribute__((aligned(" + std::to_string(access_) + "), may_alias)) ";
  const auto words_of = [](std::uint64_t bytes) {
    return " { unsigned of[" + std::to_string(bytes / word_bytes) + "]; };\n";
  };
  return aligned + name("piece") + words_of(access_) + aligned + name("part") + words_of(bytes_) +
         "struct " + name("cover") + " { " + name("piece") + " of[" +
         std::to_string(bytes_ / access_ + 1) + "]; };\n";
}

// The last piece is where the last wanted byte is: for an aligned address the one before once more.
std::string CoveringLoads::shift(const std::string& address) const {
  const std::string access = std::to_string(access_) + "u";
  return "const unsigned " + name("shift") + " = (unsigned)((unsigned long long)(" + address +
         ") % " + access + "), " + name("last") + " = (" + name("shift") + " + " +
         std::to_string(bytes_ - 1) + "u) / " + access + " * " + access + ";\n";
}

std::string CoveringLoads::room(unsigned sets) const {
  return name("cover") + " " + name("raw") + "[" + std::to_string(sets) + "];\n";
}

// Addresses stay pointers: one that was an integer no longer says that it is in global memory.
std::string CoveringLoads::load(const std::string& address, const std::string& set) const {
  const std::string from = name("from"), access = std::to_string(access_);
  const std::uint64_t last = bytes_ / access_;
  std::string text = "const char* const " + from + " = reinterpret_cast<const char*>(" + address +
                     ") - " + name("shift") + ";\n";
  for (std::uint64_t nth = 0; nth <= last; ++nth)
    text += name("raw") + "[" + set + "].of[" + std::to_string(nth) +
            "] = *reinterpret_cast<const " + name("piece") + "*>(" + from + " + " +
            (nth < last ? std::to_string(nth * access_) : name("last")) + ");\n";
  return text;
}

// Word by word: of loops over them clang makes indices that follow from the shift, and of each of
// those a choice among all words.
std::string CoveringLoads::take(const std::string& values, const std::string& set) const {
  const std::string shift = name("shift");
  const auto at = [&](std::uint64_t word) {
    return ".of[" + std::to_string(word / words_of_piece()) + "].of[" +
           std::to_string(word % words_of_piece()) + "]";
  };
  const auto word = [&](std::uint64_t nth) { return name("word") + "_" + std::to_string(nth); };
  std::string text;
  for (std::uint64_t nth = 0; nth < words(); ++nth)
    text += "unsigned " + word(nth) + " = " + name("raw") + "[" + set + "]" + at(nth) + ";\n";
  // Whole words first, by one choice for each bit of their number.
  for (std::uint64_t whole = words_of_piece() / 2; whole > 0; whole /= 2)
    for (std::uint64_t nth = 0; whole * word_bytes >= placed_ && nth + whole < words(); ++nth)
      text += word(nth) + " = " + shift + " & " + std::to_string(whole * word_bytes) + "u ? " +
              word(nth + whole) + " : " + word(nth) + ";\n";
  const std::string bits = shift + " % " + std::to_string(word_bytes) + "u * 8u";
  text += "auto* const " + name("to") + " = reinterpret_cast<" + name("part") + "*>(&" + values +
          ");\n";
  for (std::uint64_t nth = 0; nth < bytes_ / word_bytes; ++nth)
    text += name("to") + "->of[" + std::to_string(nth) + "] = " +
            (placed_ >= word_bytes
                 ? word(nth)
                 : "__funnelshift_r(" + word(nth) + ", " + word(nth + 1) + ", " + bits + ")") +
            ";\n";
  return text;
}

}  // namespace geak::clang_tool::transforms
