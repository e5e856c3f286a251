// What the checks found: one entry for each kind of fault at a line of a kernel, with a count.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "emulator/check/memory_access.h"
#include "emulator/check/memory_regions.h"
#include "emulator/check/source_lines.h"

namespace geak::emulator::check {

// One lane at one instruction.
struct Place {
  std::uint64_t code_address = 0;
  std::array<std::uint32_t, 3> workgroup{};
  std::array<std::uint32_t, 3> work_item{};  // in its workgroup
  std::uint32_t wave = 0;                    // in its workgroup
  std::uint32_t lane = 0;
  std::vector<std::uint64_t> callers;  // return addresses, innermost first
};

struct Finding {
  const char* tool = "";
  const char* kind = "";  // docs/schemas.md lists them
  std::string message;    // one sentence
  Place place;
  std::optional<Place> other;  // the second of two that conflict, or where a value came from
  const char* other_role = "";
  std::optional<Space> space;
  std::optional<Direction> direction;
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  const Region* region = nullptr;
  HostCalls host_calls;  // of a finding outside of kernels: the faulty call of the program
};

class FindingLog {
 public:
  // Counts one occurrence; true when it is the first of its kind at this instruction, and the
  // details are wanted by add().
  bool is_new(const char* kind, const std::string& kernel, std::uint64_t code_address,
              const std::vector<std::uint64_t>& callers);
  void add(const Finding& finding, const std::string& kernel, const LoadedCode* code,
           const std::string& instruction);
  // Outside of any kernel: leaks, and calls of the program (once for each place that calls). True
  // when it is the first.
  bool add_host(const Finding& finding);
  SourceLines& lines() { return lines_; }
  bool changed() const { return changed_; }
  std::size_t size() const { return entries_.size(); }

  // Replaces the file as a whole. Throws std::runtime_error.
  void write(const std::string& file, const std::vector<std::string>& tools,
             std::uint64_t dispatches, const std::vector<std::string>& notes);

 private:
  struct Entry;
  // Of all functions that the place is in, by inlining and by calls.
  std::vector<SourceFrame> frames_of(const Place& place, const LoadedCode& code);
  using Key = std::tuple<std::string, std::string, std::string>;
  std::vector<std::shared_ptr<Entry>> entries_;
  std::map<Key, std::shared_ptr<Entry>> by_line_;
  using CodeKey =
      std::tuple<std::string_view, std::string, std::uint64_t, std::vector<std::uint64_t>>;
  std::map<CodeKey, std::shared_ptr<Entry>> by_code_;
  SourceLines lines_;
  std::map<std::pair<std::string, HostCalls>, std::shared_ptr<Entry>> by_call_;
  bool changed_ = true;
};

}  // namespace geak::emulator::check
