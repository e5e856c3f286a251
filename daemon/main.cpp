// geakd: optimizes marked kernels in the background and tells the editor.
//
//   geakd --stdio [-p BUILD ...]   language server on standard input and output
//   geakd -p BUILD                 no editor: works in the foreground, one line a change
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <semaphore>

#include "daemon/session.h"
#include "llvm/Support/raw_ostream.h"

namespace {

using namespace geak::daemon;

struct Options {
  bool stdio = false;
  bool delimited = false;
  std::vector<std::string> build_folders;
  BackgroundPolicy policy;
};

int serve(const Options& options) {
  mlir::lsp::JSONTransport transport(stdin, llvm::outs(),
                                     options.delimited ? mlir::lsp::JSONStreamStyle::Delimited
                                                       : mlir::lsp::JSONStreamStyle::Standard,
                                     options.delimited);
  Session session(transport, options.policy, options.build_folders);
  if (auto error = transport.run(session.messages)) {
    std::cerr << "geakd: " << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  return session.shutdown_requested ? 0 : 1;
}

std::binary_semaphore stop_signal{0};

int watch(const Options& options) {
  BackgroundOptimizer background(
      options.policy,
      {.kernels_changed = [] {},
       .progress =
           [](const Progress& p) { std::cout << p.job.target << ": " << p.message << std::endl; },
       .error = [](const std::string& text) { std::cerr << "geakd: " << text << std::endl; }});
  background.start(options.build_folders);
  std::signal(SIGINT, [](int) { stop_signal.release(); });
  std::signal(SIGTERM, [](int) { stop_signal.release(); });
  stop_signal.acquire();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  int quiet_ms = static_cast<int>(options.policy.quiet_period.count());
  bool manual = false;
  CLI::App app{"geakd: background optimizer and language server of geak"};
  app.add_flag("--stdio", options.stdio, "Speak LSP on standard input and output");
  app.add_flag("--delimited", options.delimited,
               "Messages separated by '// -----' lines, for scripted tests");
  app.add_option("-p", options.build_folders,
                 "Build folder; may be repeated. With --stdio the default is what is found in the "
                 "workspace");
  app.add_flag("--manual", manual, "Optimize only when asked, never by itself");
  app.add_option("--quiet-ms", quiet_ms, "How long a file must rest before work starts")
      ->check(CLI::NonNegativeNumber);
  CLI11_PARSE(app, argc, argv);

  options.policy.automatic = !manual;
  options.policy.quiet_period = std::chrono::milliseconds(quiet_ms);
  for (auto& folder : options.build_folders)
    folder = std::filesystem::absolute(folder).lexically_normal().string();
  std::signal(SIGPIPE, SIG_IGN);
  if (options.stdio) return serve(options);
  if (options.build_folders.empty()) {
    std::cerr << "geakd: name a build folder with -p, or speak LSP with --stdio\n";
    return 2;
  }
  return watch(options);
}
