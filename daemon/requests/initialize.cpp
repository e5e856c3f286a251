// initialize, initialized, shutdown: the life of a connection.
#include "daemon/session.h"

namespace geak::daemon {

namespace {

llvm::json::Object capabilities() {
  return llvm::json::Object{
      {"textDocumentSync", llvm::json::Object{{"openClose", true},
                                              {"change", 1},  // whole text: kernels files are small
                                              {"save", true}}},
      {"codeLensProvider", llvm::json::Object{{"resolveProvider", false}}},
      {"hoverProvider", true},
      {"executeCommandProvider",
       llvm::json::Object{
           {"commands", llvm::json::Array{"geak.optimize", "geak.stop", "geak.showDiff"}}}},
  };
}

void add_workspace(std::vector<std::string>& build_folders, const llvm::json::Value& params) {
  std::vector<std::string> roots;
  const auto* object = params.getAsObject();
  const auto* folders = object ? object->getArray("workspaceFolders") : nullptr;
  if (folders != nullptr) {
    for (const auto& folder : *folders)
      if (auto root = file_at(folder, "uri"))
        roots.push_back(*root);
      else
        llvm::consumeError(root.takeError());  // Not a file: no build folder can be in it.
  } else if (auto root = file_at(params, "rootUri")) {
    roots.push_back(*root);
  } else {
    llvm::consumeError(root.takeError());
  }
  for (const auto& root : roots)
    for (auto& build : find_build_folders(root))
      if (!llvm::is_contained(build_folders, build)) build_folders.push_back(build);
}

struct Lifecycle {
  Session& session;

  void initialize(const RawParams& params, Reply reply) {
    if (const auto* object = params.value.getAsObject())
      session.client = ClientSupport::from_initialize(*object);
    if (session.build_folders.empty()) add_workspace(session.build_folders, params.value);
    reply(llvm::json::Object{{"capabilities", capabilities()},
                             {"serverInfo", llvm::json::Object{{"name", "geakd"}}}});
  }
  void initialized(const RawParams&) { session.background.start(session.build_folders); }
  void shutdown(const RawParams&, Reply reply) {
    session.shutdown_requested = true;
    reply(nullptr);
  }
  void ignored(const RawParams&) {}
};

}  // namespace

void register_initialize(Session& session) {
  // Handlers live as long as the process: the transport keeps bare pointers to them.
  auto* lifecycle = new Lifecycle{session};
  session.messages.method("initialize", lifecycle, &Lifecycle::initialize);
  session.messages.notification("initialized", lifecycle, &Lifecycle::initialized);
  session.messages.method("shutdown", lifecycle, &Lifecycle::shutdown);
  session.messages.notification("$/setTrace", lifecycle, &Lifecycle::ignored);
  session.messages.notification("$/cancelRequest", lifecycle, &Lifecycle::ignored);
  session.messages.notification("workspace/didChangeConfiguration", lifecycle, &Lifecycle::ignored);
  session.messages.notification("workspace/didChangeWatchedFiles", lifecycle, &Lifecycle::ignored);
}

}  // namespace geak::daemon
