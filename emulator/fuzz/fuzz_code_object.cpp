// The loader on hostile code objects: it must refuse or load, and do nothing else.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/hsa/executable.h"
#include "emulator/hsa/guard.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace geak::emulator;
  static const auto agent = make_gpu_agent(*default_device(Arch::gfx90a), Arch::gfx90a, 0, 1);
  const Definitions definitions{{"external", 0x1000}};
  std::vector<ExecutableSymbol> symbols;
  try {
    load_code_object(*agent, std::as_bytes(std::span(data, size)), definitions, symbols);
  } catch (const CodeObjectError&) {
  } catch (const StatusError&) {
  } catch (const std::bad_alloc&) {
  }
  return 0;
}
