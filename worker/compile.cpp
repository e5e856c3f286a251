#include "worker/compile.h"

#include <chrono>
#include <stdexcept>

#include "support/child_process.h"
#include "worker/gpu.h"

namespace geak::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kLongest{180};

}  // namespace

CompilePool::CompilePool(std::string compiler, std::string architecture, unsigned jobs)
    : compiler_(std::move(compiler)), architecture_(std::move(architecture)) {
  for (unsigned i = 0; i < jobs; ++i) threads_.emplace_back([this] { work(); });
}

CompilePool::~CompilePool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void CompilePool::add(CompileJob job) {
  {
    const std::lock_guard lock(mutex_);
    if (fs::exists(job.output)) {
      results_[job.output] = "";
      return;
    }
    waiting_.push_back(std::move(job));
  }
  changed_.notify_all();
}

std::string CompilePool::result(const fs::path& output) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return results_.contains(output); });
  return results_[output];
}

void CompilePool::work() {
  while (true) {
    CompileJob job;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
      if (stopping_) return;
      job = std::move(waiting_.front());
      waiting_.pop_front();
    }
    const auto start = std::chrono::steady_clock::now();
    std::string problem;
    try {
      problem = compile(job);
    } catch (const std::exception& error) {
      problem = error.what();
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    {
      const std::lock_guard lock(mutex_);
      results_[job.output] = problem;
      seconds_ += took.count();
      ++compiled_;
    }
    changed_.notify_all();
  }
}

std::string CompilePool::compile(const CompileJob& job) {
  const fs::path partial = job.output.string() + ".partial";
  support::ChildOptions child;
  child.command = code_command(compiler_, architecture_, job.options, job.source, partial);
  child.directory = job.output.parent_path();
  child.timeout = kLongest;
  child.own_temporaries = true;
  const auto ended = support::run_child(child);
  if (ended.interrupted) return "interrupted";
  if (ended.timed_out) return "the compiler took longer than 180 s";
  if (!ended.succeeded()) return first_error(ended.err.empty() ? ended.out : ended.err);
  fs::rename(partial, job.output);
  return "";
}

std::string first_error(const std::string& text) {
  auto at = text.find("error");
  if (at == std::string::npos) at = 0;
  const auto begin = text.rfind('\n', at);
  const auto from = begin == std::string::npos ? 0 : begin + 1;
  return text.substr(from, text.find('\n', from) - from);
}

}  // namespace geak::worker
