// What one editor connection shares among its requests.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "daemon/background_optimizer.h"
#include "daemon/documents.h"
#include "llvm/Support/JSON.h"
#include "mlir/Tools/lsp-server-support/Transport.h"

namespace geak::daemon {

// Parameters as they came: most requests read one or two fields of them.
struct RawParams {
  llvm::json::Value value = nullptr;
};
inline bool fromJSON(const llvm::json::Value& value, RawParams& out, llvm::json::Path) {
  out.value = value;
  return true;
}

using Reply = mlir::lsp::Callback<llvm::json::Value>;

// What the client said it can do; requests that it can't take are never sent to it.
struct ClientSupport {
  bool work_done_progress = false;
  bool code_lens_refresh = false;
  bool show_document = false;
  bool server_status = false;
  std::vector<std::string> commands;  // lens commands the client handles itself

  static ClientSupport from_initialize(const llvm::json::Object& params);
};

struct Session {
  explicit Session(mlir::lsp::JSONTransport& transport, BackgroundPolicy policy,
                   std::vector<std::string> build_folders);

  void notify(llvm::StringLiteral method, llvm::json::Value params);
  void request(llvm::StringLiteral method, llvm::json::Value params);
  void show_message(int type, const std::string& text);  // 1 error, 2 warning, 3 info

  mlir::lsp::MessageHandler messages;
  ClientSupport client;
  Documents documents;
  std::vector<std::string> build_folders;  // given on the command line; else found by initialize
  bool shutdown_requested = false;

  std::atomic<int> next_request{1};
  std::chrono::steady_clock::time_point last_lens_refresh{};  // by the queue's thread alone

  // Last: its threads call back into the members above.
  BackgroundOptimizer background;
};

// One function a file in requests/; each says which methods it answers.
void register_initialize(Session& session);
void register_document_sync(Session& session);
void register_code_lens(Session& session);
void register_hover(Session& session);
void register_execute_command(Session& session);
void register_progress(Session& session);

// Sent, not answered: $/progress, diagnostics and experimental/serverStatus.
void send_progress(Session& session, const Progress& progress);
void send_diagnostics(Session& session);

// "2.10x modelled(gfx90a), verified(emulated gfx90a)" and the like: the one rendering of a kernel's
// state that lens and hover share.
std::string describe(const KernelState& kernel, const std::string& progress);

// Field of a JSON object by path ("textDocument.uri"), as a string; empty when it isn't there.
std::string text_at(const llvm::json::Value& value, llvm::StringRef path);
// The local path of a `file:` URI at `path`; an error when it is no such URI.
llvm::Expected<std::string> file_at(const llvm::json::Value& value, llvm::StringRef path);

}  // namespace geak::daemon
