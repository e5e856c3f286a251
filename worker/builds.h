// A bundle's sources on disk, and what the compiler makes of them: each kernel's original and each
// of its candidates, in folders of their own.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "worker/bundle.h"
#include "worker/compile.h"

namespace geak::worker {

// Options of a unit for this machine's compiler, its folders made absolute below `sources`.
std::vector<std::string> options_of(const Unit& unit, const std::filesystem::path& sources,
                                    const std::filesystem::path& header);

class Builds {
 public:
  // Unpacks the bundle's files to `work`/sources. `bundle` must outlive it.
  Builds(const Bundle& bundle, const std::filesystem::path& work, std::string compiler,
         std::string architecture, unsigned jobs);

  const std::filesystem::path& sources() const { return sources_; }
  // Compiles the kernel's original and candidates on all cores; kernels in the order of the calls.
  void queue(const Kernel& kernel);

  std::filesystem::path original(const Kernel& kernel) const;
  std::filesystem::path candidate(const Kernel& kernel, const Candidate& candidate) const;
  // Waits for one of them; empty where it was made, else the compiler's first complaint.
  std::string problem(const std::filesystem::path& code) { return pool_.result(code); }

  const CompilePool& pool() const { return pool_; }

 private:
  std::filesystem::path folder(const Kernel& kernel) const;
  Files files_beside(const Unit& unit) const;

  const Bundle& bundle_;
  std::filesystem::path work_, sources_;
  CompilePool pool_;
};

}  // namespace geak::worker
