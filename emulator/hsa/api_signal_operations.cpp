// hsa_signal_load, store, exchange, cas, add, subtract, and, or, xor with each memory order.
// All are done at least as strongly as their names ask for.
#include "emulator/hsa/queue.h"
#include "emulator/hsa/runtime.h"

using namespace geak::emulator;

namespace {

hsa_signal_value_t load(hsa_signal_t handle, std::memory_order order) {
  amd_signal_t* signal = signal_of(handle);
  const auto value = value_of(signal).load(order);
  // Polling is waiting too: the host has seen that the work ended.
  if (value <= 0) Runtime::instance().host_clock.saw(end_time(signal));
  return value;
}

void store(hsa_signal_t handle, hsa_signal_value_t value) {
  amd_signal_t* signal = signal_of(handle);
  if (signal->kind == AMD_SIGNAL_KIND_DOORBELL) {
    Queue::of(signal->queue_ptr).ring(static_cast<std::uint64_t>(value));
    return;
  }
  value_of(signal).store(value, std::memory_order_release);
  Runtime::instance().changes.notify();
}

template <typename Change>
hsa_signal_value_t change(hsa_signal_t handle, Change&& change_it) {
  const auto before = change_it(value_of(signal_of(handle)));
  Runtime::instance().changes.notify();
  return before;
}

}  // namespace

#define GEAK_SIGNAL_OPERATION(operation, order, expression)                                  \
  void hsa_signal_##operation##_##order(hsa_signal_t signal, hsa_signal_value_t value) {     \
    change(signal, [&](std::atomic_ref<std::int64_t> target) { return target.expression; }); \
  }
#define GEAK_SIGNAL_OPERATIONS(operation, expression)     \
  GEAK_SIGNAL_OPERATION(operation, relaxed, expression)   \
  GEAK_SIGNAL_OPERATION(operation, acquire, expression)   \
  GEAK_SIGNAL_OPERATION(operation, release, expression)   \
  GEAK_SIGNAL_OPERATION(operation, acq_rel, expression)   \
  GEAK_SIGNAL_OPERATION(operation, scacquire, expression) \
  GEAK_SIGNAL_OPERATION(operation, screlease, expression) \
  GEAK_SIGNAL_OPERATION(operation, scacq_screl, expression)

#define GEAK_SIGNAL_EXCHANGE(order)                                                               \
  hsa_signal_value_t hsa_signal_exchange_##order(hsa_signal_t signal, hsa_signal_value_t value) { \
    return change(signal,                                                                         \
                  [&](std::atomic_ref<std::int64_t> target) { return target.exchange(value); });  \
  }                                                                                               \
  hsa_signal_value_t hsa_signal_cas_##order(hsa_signal_t signal, hsa_signal_value_t expected,     \
                                            hsa_signal_value_t value) {                           \
    return change(signal, [&](std::atomic_ref<std::int64_t> target) {                             \
      std::int64_t seen = expected;                                                               \
      target.compare_exchange_strong(seen, value);                                                \
      return seen;                                                                                \
    });                                                                                           \
  }

extern "C" {

GEAK_SIGNAL_OPERATIONS(add, fetch_add(value))
GEAK_SIGNAL_OPERATIONS(subtract, fetch_sub(value))
GEAK_SIGNAL_OPERATIONS(and, fetch_and(value))
GEAK_SIGNAL_OPERATIONS(or, fetch_or(value))
GEAK_SIGNAL_OPERATIONS(xor, fetch_xor(value))

GEAK_SIGNAL_EXCHANGE(relaxed)
GEAK_SIGNAL_EXCHANGE(acquire)
GEAK_SIGNAL_EXCHANGE(release)
GEAK_SIGNAL_EXCHANGE(acq_rel)
GEAK_SIGNAL_EXCHANGE(scacquire)
GEAK_SIGNAL_EXCHANGE(screlease)
GEAK_SIGNAL_EXCHANGE(scacq_screl)

hsa_signal_value_t hsa_signal_load_relaxed(hsa_signal_t signal) {
  return load(signal, std::memory_order_acquire);
}
hsa_signal_value_t hsa_signal_load_acquire(hsa_signal_t signal) {
  return load(signal, std::memory_order_seq_cst);
}
hsa_signal_value_t hsa_signal_load_scacquire(hsa_signal_t signal) {
  return load(signal, std::memory_order_seq_cst);
}

void hsa_signal_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value) {
  store(signal, value);
}
void hsa_signal_store_release(hsa_signal_t signal, hsa_signal_value_t value) {
  store(signal, value);
}
void hsa_signal_store_screlease(hsa_signal_t signal, hsa_signal_value_t value) {
  store(signal, value);
}
// Silent: nobody who waits needs to be woken.
void hsa_signal_silent_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value) {
  value_of(signal_of(signal)).store(value, std::memory_order_release);
}
void hsa_signal_silent_store_screlease(hsa_signal_t signal, hsa_signal_value_t value) {
  value_of(signal_of(signal)).store(value, std::memory_order_release);
}
}
