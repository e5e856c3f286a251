// workspace/executeCommand: geak.optimize, geak.stop, geak.showDiff. Handled here, not in the
// client, so that every editor has them.
#include <fstream>

#include "daemon/geak_command.h"
#include "daemon/session.h"
#include "llvm/ADT/StringExtras.h"

namespace geak::daemon {

namespace {

llvm::Error invalid(const llvm::Twine& message) {
  return llvm::make_error<mlir::lsp::LSPError>(message.str(), mlir::lsp::ErrorCode::InvalidParams);
}

// The diff as a file, so that a client with no view of its own can open it.
llvm::Expected<std::string> write_diff(const std::string& build_folder, const std::string& kernel) {
  auto diff = run_geak({"diff", kernel, "-p", build_folder});
  if (!diff) return diff.takeError();
  std::string name = kernel;
  for (char& c : name)
    if (!llvm::isAlnum(c) && c != '_') c = '_';
  const auto path = build_folder + "/geak/" + name + ".diff";
  std::ofstream file(path);
  file << *diff;
  if (!file.flush())
    return llvm::createStringError("cannot write " + path + ": is the build folder writable?");
  return path;
}

struct ExecuteCommand {
  Session& session;

  void execute(const RawParams& params, Reply reply) {
    const auto command = text_at(params.value, "command");
    const auto* arguments = params.value.getAsObject()->getArray("arguments");
    const llvm::json::Value argument =
        arguments && !arguments->empty() ? arguments->front() : llvm::json::Value(nullptr);
    const Job job{text_at(argument, "buildFolder"), text_at(argument, "target")};
    if (job.build_folder.empty() || job.target.empty())
      return reply(invalid(command + " needs {\"buildFolder\", \"target\"} as its argument"));
    if (command == "geak.optimize") {
      session.background.optimize(job);
      return reply(nullptr);
    }
    if (command == "geak.stop") {
      session.background.stop(job);
      return reply(nullptr);
    }
    if (command == "geak.showDiff")
      return show_diff(job.build_folder, text_at(argument, "kernel"), std::move(reply));
    reply(invalid("unknown command " + command));
  }

  void show_diff(const std::string& build_folder, const std::string& kernel, Reply reply) {
    auto path = write_diff(build_folder, kernel);
    if (!path) return reply(path.takeError());
    if (session.client.show_document)
      session.request("window/showDocument",
                      llvm::json::Object{{"uri", "file://" + *path}, {"takeFocus", true}});
    else
      session.show_message(3, "geak: the change is in " + *path);
    reply(llvm::json::Object{{"path", *path}});
  }
};

}  // namespace

void register_execute_command(Session& session) {
  session.messages.method("workspace/executeCommand", new ExecuteCommand{session},
                          &ExecuteCommand::execute);
}

}  // namespace geak::daemon
