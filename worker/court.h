// One kernel on one set of records. All candidates are timed by a few launches; those that may win
// are raced against the original at length; the fastest are verified, best first. It runs in a
// process of its own, which a faulting kernel takes down with it; the worker starts another for the
// rest.
#pragma once

#include <functional>

#include "worker/court_job.h"

namespace geak::worker {

// Calls `tell` with one JSON object for each step: {"original": {...}}, {"begins": digest,
// "doing"},
// {"result": {"digest", "outcome", ...}}. A result may come again: timed, raced, verified. Throws
// where nothing can be tried (no launch of the kernel, no device).
void hold_court(const CourtJob& job, const std::function<void(const nlohmann::json&)>& tell);

}  // namespace geak::worker
