// Which operations were executed and how often, when GEAK_EMU_FIDELITY asks for it.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "emulator/isa/operation.h"

namespace geak::emulator {

struct Wave;

class ExecutionLog {
 public:
  // What one thread counted; a table by address, so that counting takes no lock.
  class Counts {
   public:
    void add(const Operation* operation) { ++count_of(operation); }

   private:
    friend class ExecutionLog;
    struct Entry {
      const Operation* operation = nullptr;
      std::uint64_t count = 0;
    };
    // More than twice the operations there are.
    static constexpr std::size_t kSlots = 4096;
    std::uint64_t& count_of(const Operation* operation) {
      auto slot = (reinterpret_cast<std::uintptr_t>(operation) >> 5) % kSlots;
      while (entries_[slot].operation && entries_[slot].operation != operation)
        slot = (slot + 1) % kSlots;
      entries_[slot].operation = operation;
      return entries_[slot].count;
    }
    std::vector<Entry> entries_ = std::vector<Entry>(kSlots);
  };

  // nullptr: not asked for. Lives as long as the process.
  static ExecutionLog* instance();

  static Counts& of_this_thread() {
    static thread_local Counts counts;
    return counts;
  }
  // An instruction without an operation: it will fault.
  void add_unknown(const Wave& wave, const Instruction& instruction);

  // Takes over what this thread counted.
  void collect();
  // Writes all to the file that the environment names, with the process id appended: a process may
  // have children. Called when a process ends, and after a failed dispatch, since programs abort
  // then.
  void write();

 private:
  struct Executed {
    std::uint64_t count = 0;
    const Operation* operation = nullptr;
  };
  explicit ExecutionLog(std::string path) : path_(std::move(path)) {}

  const std::string path_;
  std::mutex mutex_;
  std::map<std::string, Executed> executed_;
};

std::string_view to_string(Fidelity fidelity);

}  // namespace geak::emulator
