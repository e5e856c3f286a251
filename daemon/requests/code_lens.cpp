// textDocument/codeLens: above each marked kernel, what it gained or what is going on.
#include <map>

#include "daemon/session.h"
#include "llvm/Support/FormatVariadic.h"

namespace geak::daemon {

std::string describe(const KernelState& kernel, const std::string& progress) {
  if (!progress.empty()) return "optimizing: " + progress;
  if (kernel.ratio && (kernel.state == "optimized" || kernel.state == "swapped")) {
    auto text =
        llvm::formatv("{0:F2}x {1}, {2}", *kernel.ratio, kernel.evidence, kernel.verification)
            .str();
    return kernel.state == "swapped" ? text : text + " (build to swap it in)";
  }
  if (kernel.state == "no_gain") return "no gain found: the original stays";
  if (kernel.state == "marked") return "marked, not optimized yet";
  if (kernel.state == "stale") return "stale: changed since it was optimized";
  return kernel.state + (kernel.reason.empty() ? "" : ": " + kernel.reason);
}

namespace {

// A kernel with a result leads to the change, one without leads to the work.
std::string command_for(const KernelState& kernel, bool running) {
  if (running) return "geak.stop";
  return kernel.state == "optimized" || kernel.state == "swapped" ? "geak.showDiff"
                                                                  : "geak.optimize";
}

struct CodeLens {
  Session& session;

  void code_lens(const RawParams& params, Reply reply) {
    auto file = file_at(params.value, "textDocument.uri");
    if (!file) return reply(file.takeError());
    // One lens a line: the instantiations of a template share theirs.
    std::map<int, llvm::json::Object> lenses;
    for (const auto& kernel : session.background.kernels().in_file(*file)) {
      const auto line = session.documents.line_of(*file, kernel.short_name(), kernel.line);
      if (line && !lenses.contains(*line)) lenses[*line] = lens(kernel, *line);
    }
    llvm::json::Array result;
    for (auto& [line, each] : lenses) result.push_back(std::move(each));
    reply(std::move(result));
  }

  llvm::json::Object lens(const KernelState& kernel, int line) const {
    const auto progress = session.background.progress_of({kernel.build_folder, kernel.target});
    const auto position = llvm::json::Object{{"line", line}, {"character", 0}};
    return llvm::json::Object{
        {"range", llvm::json::Object{{"start", llvm::json::Object(position)},
                                     {"end", llvm::json::Object(position)}}},
        {"command", llvm::json::Object{{"title", "geak: " + describe(kernel, progress)},
                                       {"command", command_for(kernel, !progress.empty())},
                                       {"arguments", llvm::json::Array{llvm::json::Object{
                                                         {"buildFolder", kernel.build_folder},
                                                         {"target", kernel.target},
                                                         {"kernel", kernel.kernel}}}}}}};
  }
};

}  // namespace

void register_code_lens(Session& session) {
  session.messages.method("textDocument/codeLens", new CodeLens{session}, &CodeLens::code_lens);
}

}  // namespace geak::daemon
