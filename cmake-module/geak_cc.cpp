// Compiler launcher: `geak-cc INDEX COMMAND...`. Runs a compile command as it is, or, where a
// verified variant is selected for its source, with the overlay that swaps it in. If that does not
// compile, the original is compiled: geak never breaks a build.
#include "cmake-module/selection.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using geak::cmake_module::Selection;
using Command = std::vector<std::string>;

std::vector<char*> as_argv(const Command& command) {
  std::vector<char*> argv;
  for (const std::string& argument : command) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  return argv;
}

[[noreturn]] void become(const Command& command) {
  execvp(command[0].c_str(), as_argv(command).data());
  std::fprintf(stderr, "geak-cc: cannot run %s: %s\n", command[0].c_str(), std::strerror(errno));
  std::_Exit(127);
}

void warn(const std::string& source, const std::string& reason) {
  std::fprintf(stderr, "geak: warning: %s: %s; compiling the original\n", source.c_str(),
               reason.c_str());
}

// ccache calls any command with -ivfsoverlay uncacheable unless told otherwise. It may cache it,
// since GEAK_VARIANT, which stands for all that the overlay brings in, is part of its key.
void allow_ccache_to_cache_overlays() {
  const char* given = std::getenv("CCACHE_SLOPPINESS");
  std::string sloppiness = given == nullptr ? "" : given;
  if (sloppiness.find("ivfsoverlay") != std::string::npos) return;
  sloppiness += sloppiness.empty() ? "ivfsoverlay" : ",ivfsoverlay";
  setenv("CCACHE_SLOPPINESS", sloppiness.c_str(), 1);
}

Command with_overlay(const Command& command, const Selection& selection) {
  Command swapped = command;
  swapped.push_back("-ivfsoverlay");
  swapped.push_back(selection.overlay);
  swapped.push_back("-DGEAK_VARIANT=" + selection.variant);
  return swapped;
}

std::optional<std::string> missing_file(const Selection& selection) {
  if (access(selection.overlay.c_str(), R_OK) != 0) return selection.overlay;
  for (const auto& file : selection.needed) {
    if (access(file.c_str(), R_OK) != 0) return file.string();
  }
  return std::nullopt;
}

// Everything that was written to the file of that descriptor, from its start.
std::string read_back(int descriptor) {
  std::string text;
  char buffer[4096];
  lseek(descriptor, 0, SEEK_SET);
  for (ssize_t n; (n = read(descriptor, buffer, sizeof buffer)) > 0;) text.append(buffer, n);
  return text;
}

struct Outcome {
  int status;  // as of wait(2)
  std::string output;
};

// Runs a command with both outputs held back, for they are noise if the original is compiled.
std::optional<Outcome> run_quietly(const Command& command) {
  std::FILE* held = std::tmpfile();
  if (held == nullptr) return std::nullopt;
  const int descriptor = fileno(held);
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // make stops geak-cc alone; its compiler must not outlive it
    dup2(descriptor, STDOUT_FILENO);
    dup2(descriptor, STDERR_FILENO);
    become(command);
  }
  int status = 0;
  pid_t waited = -1;
  if (child > 0) {
    do waited = waitpid(child, &status, 0);
    while (waited < 0 && errno == EINTR);
  }
  std::optional<Outcome> outcome;
  if (waited == child && child > 0) outcome = Outcome{status, read_back(descriptor)};
  std::fclose(held);
  return outcome;
}

// The line of a compiler's output that says what is wrong.
std::string first_error(const Outcome& outcome) {
  if (WIFSIGNALED(outcome.status)) {
    return std::string("compiler ended by signal: ") + strsignal(WTERMSIG(outcome.status));
  }
  size_t found = outcome.output.find("error:");
  if (found == std::string::npos) found = 0;
  const size_t newline = outcome.output.rfind('\n', found);
  const size_t begin = newline == std::string::npos ? 0 : newline + 1;
  return outcome.output.substr(begin, outcome.output.find('\n', begin) - begin);
}

// Ends the program, with the swapped compile's success or by becoming the original command.
[[noreturn]] void compile(const std::string& index, const Command& command) {
  std::string source = command[0];
  try {
    const auto entry = geak::cmake_module::find_source(index, command);
    if (!entry) become(command);
    source = entry->argument;
    const Selection selection = geak::cmake_module::read_selection(entry->selection_file);
    if (selection.variant.empty()) become(command);
    if (const auto missing = missing_file(selection)) {
      warn(source, *missing + " is missing");
      become(command);
    }
    allow_ccache_to_cache_overlays();
    const auto outcome = run_quietly(with_overlay(command, selection));
    if (outcome && WIFEXITED(outcome->status) && WEXITSTATUS(outcome->status) == 0) {
      std::fputs(outcome->output.c_str(), stderr);
      std::exit(0);
    }
    // A user who stops the build stops the compiler too: that is no reason to start another.
    if (outcome && WIFSIGNALED(outcome->status) &&
        (WTERMSIG(outcome->status) == SIGINT || WTERMSIG(outcome->status) == SIGTERM)) {
      std::exit(128 + WTERMSIG(outcome->status));
    }
    warn(source, "the selected variant does not compile: " +
                     (outcome ? first_error(*outcome) : std::string(std::strerror(errno))));
  } catch (const std::exception& error) {
    warn(source, error.what());
  }
  become(command);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr,
                 "usage: geak-cc INDEX COMPILER [ARGUMENT...]\n"
                 "a compiler launcher that geak_optimize() sets up; see docs/build_files.md\n");
    return 2;
  }
  compile(argv[1], Command(argv + 2, argv + argc));
}
