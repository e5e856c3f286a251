// What HIP never gave is freed: as the first call of the program, too.
#include "../planted.h"

__device__ int in_module[16];

static void run_free_unknown(bool fault) {
  void* of_host = fault ? std::malloc(64) : nullptr;
  (void)hipFree(of_host);  // finds: invalid_free
  std::free(of_host);
  void* symbol = nullptr;
  HIP_CHECK(hipGetSymbolAddress(&symbol, HIP_SYMBOL(in_module)));
  int on_stack = 0;
  if (!fault) return;
  (void)hipFree(symbol);                                       // finds: invalid_free
  (void)hipHostFree(&on_stack);                                // finds: invalid_free
  (void)hipFreeArray(reinterpret_cast<hipArray*>(&on_stack));  // finds: invalid_free
}

PLANTED(free_unknown) { run_free_unknown(true); }
CLEAN(free_unknown) { run_free_unknown(false); }
