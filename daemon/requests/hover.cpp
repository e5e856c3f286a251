// textDocument/hover: on the name of a marked kernel, all that is known of it.
#include "daemon/session.h"

namespace geak::daemon {

namespace {

std::string markdown(const KernelState& kernel, const std::string& progress) {
  const std::string state = describe(kernel, progress);
  std::string text =
      "**geak** `" + kernel.kernel + "` in target `" + kernel.target + "`\n\n" + state;
  if (state.find(kernel.reason) == std::string::npos) text += "\n\n" + kernel.reason;
  return text;
}

struct Hover {
  Session& session;

  void hover(const RawParams& params, Reply reply) {
    auto file = file_at(params.value, "textDocument.uri");
    if (!file) return reply(file.takeError());
    const auto* position = params.value.getAsObject()->getObject("position");
    const auto line = position ? position->getInteger("line") : std::nullopt;
    const auto column = position ? position->getInteger("character") : std::nullopt;
    if (!line || !column)
      return reply(llvm::make_error<mlir::lsp::LSPError>("hover needs a position",
                                                         mlir::lsp::ErrorCode::InvalidParams));
    const auto word = session.documents.word_at(*file, *line, *column);
    for (const auto& kernel : session.background.kernels().in_file(*file)) {
      if (kernel.short_name() != word) continue;
      const auto progress = session.background.progress_of({kernel.build_folder, kernel.target});
      return reply(llvm::json::Object{
          {"contents",
           llvm::json::Object{{"kind", "markdown"}, {"value", markdown(kernel, progress)}}}});
    }
    reply(nullptr);
  }
};

}  // namespace

void register_hover(Session& session) {
  session.messages.method("textDocument/hover", new Hover{session}, &Hover::hover);
}

}  // namespace geak::daemon
