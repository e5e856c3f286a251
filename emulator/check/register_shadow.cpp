#include <cstring>

#include "emulator/check/group_state.h"

namespace geak::emulator::check {

void RegisterShadow::reset() {
  if (!any()) return;
  rows.reset();
  scalars.reset();
  scc = false;
  s.fill(0);
  origins.clear();
}

Lanes& RegisterShadow::row(unsigned index) {
  if (!v) v = std::make_unique_for_overwrite<Lanes[]>(kVectorRows);
  if (!rows[index]) {
    std::memset(v[index], 0, sizeof(Lanes));
    rows.set(index);
  }
  return v[index];
}

}  // namespace geak::emulator::check
