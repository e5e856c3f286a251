// What is known of every marked kernel of a build folder: where it stands and what it gained.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace geak::daemon {

struct KernelState {
  std::string build_folder;
  std::string target;
  std::string kernel;  // qualified name
  std::string file;    // absolute, saved file that holds the definition
  int line = 0;        // 0-based, of the definition's name
  std::string state;   // as `geak status --json` says: see docs/schemas.md
  std::string reason;
  std::optional<double> ratio;  // original time over variant time
  std::string evidence;         // modelled(gfx90a), measured(...): never shown without it
  std::string verification;     // verified(emulated gfx90a), ...

  // The name without its namespaces, as it stands in the source.
  std::string short_name() const;
};

// Parses what `geak status -p BUILD --json` prints.
llvm::Expected<std::vector<KernelState>> parse_status(const std::string& build_folder,
                                                      llvm::StringRef json);

// Answers editor requests at once from the last refresh; a refresh replaces a build folder's
// kernels as a whole, so that no request sees half of it.
class KernelIndex {
 public:
  void replace(const std::string& build_folder, std::vector<KernelState> kernels);
  std::vector<KernelState> in_file(const std::string& file) const;
  std::vector<KernelState> all() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<KernelState>> by_build_folder_;
};

}  // namespace geak::daemon
