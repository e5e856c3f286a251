// Stands in until the build has an executor: every dispatch fails, and says so.
#include "emulator/wave/dispatch.h"

namespace geak::emulator {
namespace {

class NoExecutor : public Executor {
 public:
  DispatchResult run(const KernelDispatch& dispatch) override {
    DispatchResult result;
    result.error =
        ExecutionError{ExecutionError::Kind::internal, "no executor in this build: kernel '" +
                                                           dispatch.kernel_name + "' was not run"};
    return result;
  }
};

}  // namespace

std::unique_ptr<Executor> make_executor(const DeviceDescription&, unsigned) {
  return std::make_unique<NoExecutor>();
}

}  // namespace geak::emulator
