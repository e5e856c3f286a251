// Tells when files change, through inotify.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "llvm/Support/Error.h"

namespace geak::daemon {

// Folders are watched, not files: editors and build tools replace files by renaming a new one over
// the old, which ends a watch on the file itself. The editor's own didChangeWatchedFiles was
// rejected as the source: not every client sends it, and a headless daemon has no client.
class FileWatcher {
 public:
  using OnChange = std::function<void(const std::string& path)>;

  // Reports paths below `folders` (not recursive) on a thread of its own until destroyed.
  static llvm::Expected<std::unique_ptr<FileWatcher>> watch(const std::vector<std::string>& folders,
                                                            OnChange on_change);
  ~FileWatcher();

 private:
  FileWatcher(int inotify, int stop, std::map<int, std::string> folders, OnChange on_change);
  void run();
  void report_pending();

  int inotify_;
  int stop_;  // eventfd that ends the thread
  std::map<int, std::string> folders_;
  OnChange on_change_;
  std::thread thread_;
};

}  // namespace geak::daemon
