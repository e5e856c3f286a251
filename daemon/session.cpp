#include "daemon/session.h"

namespace geak::daemon {

namespace {

const llvm::json::Value* find(const llvm::json::Value& value, llvm::StringRef path) {
  const llvm::json::Value* at = &value;
  while (at != nullptr && !path.empty()) {
    const auto [name, rest] = path.split('.');
    const auto* object = at->getAsObject();
    at = object ? object->get(name) : nullptr;
    path = rest;
  }
  return at;
}

bool flag(const llvm::json::Value& value, llvm::StringRef path) {
  const auto* found = find(value, path);
  return found && found->getAsBoolean().value_or(false);
}

}  // namespace

std::string text_at(const llvm::json::Value& value, llvm::StringRef path) {
  const auto* found = find(value, path);
  return found ? found->getAsString().value_or("").str() : std::string();
}

llvm::Expected<std::string> file_at(const llvm::json::Value& value, llvm::StringRef path) {
  auto uri = mlir::lsp::URIForFile::fromURI(text_at(value, path));
  if (!uri) return uri.takeError();
  return uri->file().str();
}

ClientSupport ClientSupport::from_initialize(const llvm::json::Object& params) {
  // Not in braces: those make an array of one object.
  const llvm::json::Value value = llvm::json::Object(params);
  ClientSupport support;
  support.work_done_progress = flag(value, "capabilities.window.workDoneProgress");
  support.code_lens_refresh = flag(value, "capabilities.workspace.codeLens.refreshSupport");
  support.show_document = flag(value, "capabilities.window.showDocument.support");
  support.server_status = flag(value, "capabilities.experimental.serverStatusNotification");
  if (const auto* commands = find(value, "capabilities.experimental.commands.commands"))
    if (const auto* names = commands->getAsArray())
      for (const auto& name : *names)
        if (auto text = name.getAsString()) support.commands.push_back(text->str());
  return support;
}

Session::Session(mlir::lsp::JSONTransport& transport, BackgroundPolicy policy,
                 std::vector<std::string> folders)
    : messages(transport),
      build_folders(std::move(folders)),
      background(policy,
                 {.kernels_changed =
                      [this] {
                        if (client.code_lens_refresh)
                          request("workspace/codeLens/refresh", nullptr);
                        send_diagnostics(*this);
                      },
                  .progress = [this](const Progress& p) { send_progress(*this, p); },
                  .error = [this](const std::string& text) { show_message(2, "geak: " + text); }}) {
  register_initialize(*this);
  register_document_sync(*this);
  register_code_lens(*this);
  register_hover(*this);
  register_execute_command(*this);
  register_progress(*this);
}

void Session::notify(llvm::StringLiteral method, llvm::json::Value params) {
  messages.outgoingNotification<llvm::json::Value>(method)(params);
}

void Session::request(llvm::StringLiteral method, llvm::json::Value params) {
  // The replies to what the server asks (refresh, create progress, show document) carry nothing it
  // could act on; a client that refuses shows less, no more.
  messages.outgoingRequest<llvm::json::Value, RawParams>(
      method, [](llvm::json::Value, llvm::Expected<RawParams> reply) {
        if (!reply) llvm::consumeError(reply.takeError());
      })(params, next_request++);
}

void Session::show_message(int type, const std::string& text) {
  notify("window/showMessage", llvm::json::Object{{"type", type}, {"message", text}});
}

}  // namespace geak::daemon
