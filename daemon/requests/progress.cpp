// window/workDoneProgress/create and cancel, $/progress, experimental/serverStatus.
#include "daemon/session.h"

namespace geak::daemon {

namespace {

// rust-analyzer's form, <server>/<title>, with the build folder so that two builds don't share one.
std::string token_of(const Job& job) { return "geak/" + job.target + "@" + job.build_folder; }

void send_server_status(Session& session, bool quiescent, const std::string& message) {
  if (!session.client.server_status) return;
  session.notify(
      "experimental/serverStatus",
      llvm::json::Object{{"health", "ok"}, {"quiescent", quiescent}, {"message", message}});
}

// No percentage in any report: how long a search takes is not known, and clients expect it in all
// or in none.
llvm::json::Object progress_value(const Progress& progress) {
  switch (progress.phase) {
    case Progress::Phase::Begin:
      return llvm::json::Object{{"kind", "begin"},
                                {"title", "geak " + progress.job.target},
                                {"cancellable", true},
                                {"message", progress.message}};
    case Progress::Phase::Report:
      return llvm::json::Object{{"kind", "report"}, {"message", progress.message}};
    case Progress::Phase::End:
      break;
  }
  return llvm::json::Object{{"kind", "end"}, {"message", progress.message}};
}

// A refresh makes the client ask for every lens again; a search reports many times a second.
bool lens_is_due(Session& session, const Progress& progress) {
  const auto now = std::chrono::steady_clock::now();
  const bool due = progress.phase != Progress::Phase::Report ||
                   now - session.last_lens_refresh > std::chrono::seconds(1);
  if (due) session.last_lens_refresh = now;
  return due;
}

struct ProgressCancel {
  Session& session;
  void cancel(const RawParams& params) {
    const auto token = text_at(params.value, "token");
    for (const auto& kernel : session.background.kernels().all()) {
      const Job job{kernel.build_folder, kernel.target};
      if (token_of(job) == token) return session.background.stop(job);
    }
  }
};

}  // namespace

void register_progress(Session& session) {
  session.messages.notification("window/workDoneProgress/cancel", new ProgressCancel{session},
                                &ProgressCancel::cancel);
}

void send_progress(Session& session, const Progress& progress) {
  const auto token = token_of(progress.job);
  if (progress.phase != Progress::Phase::Report)
    send_server_status(session, progress.phase == Progress::Phase::End, progress.message);
  if (session.client.work_done_progress) {
    if (progress.phase == Progress::Phase::Begin)
      session.request("window/workDoneProgress/create", llvm::json::Object{{"token", token}});
    session.notify("$/progress",
                   llvm::json::Object{{"token", token}, {"value", progress_value(progress)}});
  }
  if (session.client.code_lens_refresh && lens_is_due(session, progress))
    session.request("workspace/codeLens/refresh", nullptr);
}

}  // namespace geak::daemon
