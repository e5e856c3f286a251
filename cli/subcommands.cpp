#include "cli/subcommand.h"

namespace geak::cli {

void add_subcommands(CLI::App& app) {
  add_bundle(app);
  add_check(app);
  add_diff(app);
  add_explain(app);
  add_extract(app);
  add_import(app);
  add_optimize(app);
  add_profile(app);
  add_record(app);
  add_remake(app);
  add_run(app);
  add_status(app);
  add_transform(app);
  add_trial(app);
  add_swap(app);
  add_verify(app);
}

}  // namespace geak::cli
