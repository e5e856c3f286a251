// textDocument/didOpen, didChange, didClose, didSave.
#include "daemon/session.h"

namespace geak::daemon {

namespace {

struct DocumentSync {
  Session& session;

  void store(const RawParams& params, std::string text) {
    if (auto file = file_at(params.value, "textDocument.uri"))
      session.documents.open(*file, std::move(text));
    else
      llvm::consumeError(file.takeError());  // A buffer that is no file has no kernels of a build.
  }
  void did_open(const RawParams& params) {
    store(params, text_at(params.value, "textDocument.text"));
  }
  void did_change(const RawParams& params) {
    const auto* object = params.value.getAsObject();
    const auto* changes = object ? object->getArray("contentChanges") : nullptr;
    if (changes && !changes->empty()) store(params, text_at(changes->back(), "text"));
  }
  void did_close(const RawParams& params) {
    if (auto file = file_at(params.value, "textDocument.uri"))
      session.documents.close(*file);
    else
      llvm::consumeError(file.takeError());
  }
  // The watch on the file sees the save too, whoever made it.
  void did_save(const RawParams&) {}
};

}  // namespace

void register_document_sync(Session& session) {
  auto* sync = new DocumentSync{session};
  session.messages.notification("textDocument/didOpen", sync, &DocumentSync::did_open);
  session.messages.notification("textDocument/didChange", sync, &DocumentSync::did_change);
  session.messages.notification("textDocument/didClose", sync, &DocumentSync::did_close);
  session.messages.notification("textDocument/didSave", sync, &DocumentSync::did_save);
}

}  // namespace geak::daemon
