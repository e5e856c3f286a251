// textDocument/publishDiagnostics: failures and stale results only. A gain is no diagnostic.
#include <map>
#include <set>

#include "daemon/session.h"

namespace geak::daemon {

namespace {

bool needs_attention(const KernelState& kernel) {
  return kernel.state == "failed" || kernel.state == "refused";
}

llvm::json::Object diagnostic(const Session& session, const KernelState& kernel) {
  const int line =
      session.documents.line_of(kernel.file, kernel.short_name(), kernel.line).value_or(0);
  return llvm::json::Object{
      {"range",
       llvm::json::Object{{"start", llvm::json::Object{{"line", line}, {"character", 0}}},
                          {"end", llvm::json::Object{{"line", line + 1}, {"character", 0}}}}},
      {"severity", 2},
      {"source", "geak"},
      {"message", kernel.kernel + ": " + describe(kernel, "")}};
}

}  // namespace

void send_diagnostics(Session& session) {
  // Every file with a kernel gets a list, so that an empty one clears what was shown before.
  std::map<std::string, llvm::json::Array> by_file;
  for (const auto& kernel : session.background.kernels().all()) {
    auto& list = by_file[kernel.file];
    if (needs_attention(kernel)) list.push_back(diagnostic(session, kernel));
  }
  for (auto& [file, list] : by_file) {
    auto uri = mlir::lsp::URIForFile::fromFile(file);
    if (!uri) {
      session.show_message(2, "geak: " + llvm::toString(uri.takeError()));
      continue;
    }
    session.notify("textDocument/publishDiagnostics",
                   llvm::json::Object{{"uri", uri->uri()}, {"diagnostics", std::move(list)}});
  }
}

}  // namespace geak::daemon
