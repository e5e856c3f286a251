#include <array>
#include <set>
#include <string_view>

#include "replay/gates/text_rules.h"

namespace geak::replay {
namespace {

// Where a name is forbidden: `module` and `used` are fine names of variables.
enum class Where { anywhere, attributes, line_start };

// Names and what using one of them would be.
struct Forbidden {
  const char* name;
  const char* why;
  const char* attack;
  Where where = Where::anywhere;
};
constexpr const char* kAsm = "9: inline assembly";
constexpr const char* kClock = "4, 8, 28: reads clocks or its own packet";
constexpr const char* kHarness = "4, 8: looks at what launched it";
constexpr const char* kServices = "26: prints or calls into the host";
constexpr const char* kHeap = "5: state kept between launches";
constexpr std::array kForbidden = {
    Forbidden{"asm", "inline assembly", kAsm},
    Forbidden{"__asm", "inline assembly", kAsm},
    Forbidden{"__asm__", "inline assembly", kAsm},
    Forbidden{"__builtin_amdgcn_s_setreg", "changes of hardware modes", kAsm},
    Forbidden{"_Pragma", "a pragma", kLink},
    Forbidden{"__host__", "host code", kHost},
    Forbidden{"__managed__", "managed variables", kHost},
    Forbidden{"import", "an import", kLink, Where::line_start},
    Forbidden{"module", "a module", kLink, Where::line_start},
    Forbidden{"constructor", "an attribute that runs on the host", kHost, Where::attributes},
    Forbidden{"destructor", "an attribute that runs on the host", kHost, Where::attributes},
    Forbidden{"init_priority", "an attribute that runs on the host", kHost, Where::attributes},
    Forbidden{"alias", "an attribute of the linker's", kLink, Where::attributes},
    Forbidden{"ifunc", "an attribute of the linker's", kLink, Where::attributes},
    Forbidden{"section", "an attribute of the linker's", kLink, Where::attributes},
    Forbidden{"weak", "an attribute of the linker's", kLink, Where::attributes},
    Forbidden{"visibility", "an attribute of the linker's", kLink, Where::attributes},
    Forbidden{"used", "an attribute of the linker's", kLink, Where::attributes},
    Forbidden{"clock", "a clock", kClock},
    Forbidden{"clock64", "a clock", kClock},
    Forbidden{"wall_clock64", "a clock", kClock},
    Forbidden{"__clock", "a clock", kClock},
    Forbidden{"__clock64", "a clock", kClock},
    Forbidden{"__builtin_readcyclecounter", "a clock", kClock},
    Forbidden{"__builtin_amdgcn_s_memtime", "a clock", kClock},
    Forbidden{"__builtin_amdgcn_s_memrealtime", "a clock", kClock},
    Forbidden{"__builtin_amdgcn_dispatch_ptr", "the dispatch packet", kClock},
    Forbidden{"__builtin_amdgcn_queue_ptr", "the queue", kClock},
    Forbidden{"__builtin_readsteadycounter", "a clock", kClock},
    Forbidden{"__builtin_amdgcn_s_getreg", "hardware registers", kClock},
    Forbidden{"__builtin_amdgcn_dispatch_id", "the dispatch's number", kHarness},
    Forbidden{"__builtin_amdgcn_kernarg_segment_ptr", "the memory of its arguments", kHarness},
    Forbidden{"__builtin_amdgcn_implicitarg_ptr", "its hidden arguments", kHarness},
    Forbidden{"__builtin_amdgcn_s_sendmsg", "messages to the host", kServices},
    Forbidden{"__builtin_amdgcn_s_sendmsghalt", "messages to the host", kServices},
    Forbidden{"__builtin_amdgcn_s_sethalt", "halting of waves", kHarness},
    Forbidden{"printf", "printing", kServices},
    Forbidden{"malloc", "allocation from the device's heap", kHeap},
    Forbidden{"new", "allocation from the device's heap", kHeap},
    Forbidden{"delete", "the device's heap", kHeap},
};
// Device libraries' own entry points: past HIP's headers they reach queues, packets and hostcalls.
constexpr std::string_view kLibraryPrefix = "__ockl_";

// Which tokens stand within [[...]] or __attribute__((...)).
std::vector<bool> within_attributes(const std::vector<Token>& tokens) {
  std::vector<bool> within(tokens.size(), false);
  int open = 0;  // brackets of the attribute that are open
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto& text = tokens[i].text;
    const bool brackets =
        text == "[" && i + 1 < tokens.size() && tokens[i + 1].text == "[" && open == 0;
    if (open == 0 && (text == "__attribute__" || text == "__declspec" || brackets)) {
      open = brackets ? 1 : 0;
      for (; i + 1 < tokens.size(); ++i) {
        const auto& next = tokens[i + 1].text;
        if (next == "(" || next == "[") ++open;
        if (next == ")" || next == "]") --open;
        within[i + 1] = true;
        if (open == 0) {
          ++i;
          break;
        }
      }
    }
  }
  return within;
}

bool applies(const Forbidden& forbidden, const Token& token, bool within_attribute) {
  std::string_view text = token.text;
  if (forbidden.where == Where::anywhere) return text == forbidden.name;
  if (forbidden.where == Where::line_start) {
    return text == forbidden.name && token.starts_line && token.depth == 0;
  }
  // Attributes may be spelled __used__ as well.
  if (text.size() > 4 && text.starts_with("__") && text.ends_with("__")) {
    text = text.substr(2, text.size() - 4);
  }
  return within_attribute && text == forbidden.name;
}

}  // namespace

std::optional<Refusal> check_names(const Scan& candidate, const Scan& original) {
  std::set<std::string> known;
  for (const auto& token : original.tokens) known.insert(token.text);
  const auto within = within_attributes(candidate.tokens);
  for (std::size_t i = 0; i < candidate.tokens.size(); ++i) {
    const auto& token = candidate.tokens[i];
    if (known.contains(token.text)) continue;
    for (const auto& forbidden : kForbidden) {
      if (!applies(forbidden, token, within[i])) continue;
      return Refusal{
          std::string("the candidate's text uses ") + forbidden.why + " (" + token.text + ")",
          forbidden.attack, token.line};
    }
    if (token.text.starts_with(kLibraryPrefix)) {
      return Refusal{"the candidate's text calls the device library itself (" + token.text + ")",
                     kHarness, token.line};
    }
  }
  return std::nullopt;
}

}  // namespace geak::replay
