#include "daemon/file_watcher.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <system_error>

namespace geak::daemon {

namespace {

llvm::Error system_error(const std::string& what) {
  return llvm::createStringError(std::error_code(errno, std::generic_category()), what.c_str());
}

}  // namespace

llvm::Expected<std::unique_ptr<FileWatcher>> FileWatcher::watch(
    const std::vector<std::string>& folders, OnChange on_change) {
  const int inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (inotify < 0) return system_error("cannot watch files: inotify_init1");
  std::map<int, std::string> watched;
  for (const auto& folder : std::set<std::string>(folders.begin(), folders.end())) {
    const int watch = inotify_add_watch(
        inotify, folder.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE | IN_ATTRIB | IN_ONLYDIR);
    if (watch < 0) {
      auto error = system_error("cannot watch " + folder);
      close(inotify);
      return error;
    }
    watched[watch] = folder;
  }
  const int stop = eventfd(0, EFD_CLOEXEC);
  if (stop < 0) {
    auto error = system_error("cannot watch files: eventfd");
    close(inotify);
    return error;
  }
  return std::unique_ptr<FileWatcher>(
      new FileWatcher(inotify, stop, std::move(watched), std::move(on_change)));
}

FileWatcher::FileWatcher(int inotify, int stop, std::map<int, std::string> folders,
                         OnChange on_change)
    : inotify_(inotify),
      stop_(stop),
      folders_(std::move(folders)),
      on_change_(std::move(on_change)),
      thread_([this] { run(); }) {}

FileWatcher::~FileWatcher() {
  const uint64_t one = 1;
  // An eventfd takes 8 bytes or fails; it can't be full after a single write.
  if (write(stop_, &one, sizeof one) == sizeof one) thread_.join();
  close(inotify_);
  close(stop_);
}

void FileWatcher::run() {
  pollfd descriptors[] = {{inotify_, POLLIN, 0}, {stop_, POLLIN, 0}};
  while (true) {
    if (poll(descriptors, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (descriptors[1].revents != 0) return;
    report_pending();
  }
}

void FileWatcher::report_pending() {
  alignas(inotify_event) char buffer[16384];
  std::set<std::string> changed;  // One report for a burst of events on one file.
  ssize_t size;
  while ((size = read(inotify_, buffer, sizeof buffer)) > 0) {
    for (char* at = buffer; at < buffer + size;) {
      const auto* event = reinterpret_cast<inotify_event*>(at);
      at += sizeof(inotify_event) + event->len;
      const auto folder = folders_.find(event->wd);
      if (folder != folders_.end() && event->len > 0)
        changed.insert(folder->second + "/" + event->name);
    }
  }
  for (const auto& path : changed) on_change_(path);
}

}  // namespace geak::daemon
