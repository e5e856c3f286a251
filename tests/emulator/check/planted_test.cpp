// planted_test GEAK PROGRAM CASE SOURCE [OPTIONS...]: runs `geak check` on a planted case and
// compares what it finds with the marks in its source. CASE.clean must have no findings.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <tuple>

#include "support/child_process.h"

namespace {

using nlohmann::json;
// kind, kernel, line
using Found = std::set<std::tuple<std::string, std::string, unsigned>>;

// Of what the host's code does.
bool is_of_host(const std::string& kind) {
  static const std::set<std::string> kinds{"leak", "double_free", "invalid_free",
                                           "mismatched_free"};
  return kinds.contains(kind);
}

// A mark is "// finds: KIND, KIND"; its kernel is the last one above.
Found expected_of(const std::string& source) {
  Found expected;
  std::ifstream in(source);
  std::string kernel;
  unsigned number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (const auto at = line.find("__global__ void "); at != std::string::npos) {
      const auto begin = at + std::string("__global__ void ").size();
      kernel = line.substr(begin, line.find('(', begin) - begin);
    }
    const std::string mark = "// finds: ";
    const auto at = line.find(mark);
    if (at == std::string::npos) continue;
    std::istringstream kinds(line.substr(at + mark.size()));
    for (std::string kind; std::getline(kinds >> std::ws, kind, ',');)
      expected.insert({kind, is_of_host(kind) ? "" : kernel, number});
  }
  return expected;
}

Found found_in(const json& document, const std::string& source) {
  Found found;
  for (const json& finding : document.at("findings")) {
    if (!finding.contains("place")) {
      // Outside of kernels: the line of the call or the allocation, innermost frame of the
      // program's own.
      unsigned line = 0;
      const json& frames = finding.contains("call") ? finding.at("call")
                                                    : finding.at("allocation").at("allocated_by");
      for (const json& frame : frames) {
        const auto file = frame.value("file", "");
        if (file.ends_with(source.substr(source.rfind('/')))) line = frame.at("line");
        if (line) break;
      }
      found.insert({finding.at("kind"), "", line});
      continue;
    }
    const std::string kernel = finding.at("kernel");
    unsigned line = 0;
    // An inlined function of a header may be the innermost.
    for (const json& frame : finding.at("place").at("frames")) {
      if (!frame.value("file", "").ends_with(source.substr(source.rfind('/')))) continue;
      line = frame.at("line");
      break;
    }
    found.insert({finding.at("kind"), kernel.substr(0, kernel.find('(')), line});
  }
  return found;
}

void print(const char* what, const Found& all) {
  for (const auto& [kind, kernel, line] : all)
    std::cout << what << ": " << kind << " in " << kernel << ", line " << line << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const std::string geak = argv[1], program = argv[2], name = argv[3], source = argv[4];
  geak::support::ChildOptions child;
  child.command = {geak, "check", "--timeout", "60", "--json", "-"};
  for (int n = 5; n < argc; ++n) child.command.push_back(argv[n]);
  for (const auto& part : {std::string("--"), program, name}) child.command.push_back(part);
  const auto result = geak::support::run_child(child);
  std::cout << result.err;
  const json document = json::parse(result.out, nullptr, false);
  if (document.is_discarded()) {
    std::cout << "no JSON: " << result.out << '\n';
    return 1;
  }
  const Found expected = name.ends_with(".clean") ? Found{} : expected_of(source);
  const Found found = found_in(document, source);
  print("expected", expected);
  print("found", found);
  const int exit_code = expected.empty() ? 0 : 1;
  if (result.exit_code != exit_code)
    std::cout << "exit code " << result.exit_code << ", expected " << exit_code << '\n';
  const bool empty_fault = expected.empty() && !name.ends_with(".clean");
  return found == expected && result.exit_code == exit_code && !empty_fault ? 0 : 1;
}
