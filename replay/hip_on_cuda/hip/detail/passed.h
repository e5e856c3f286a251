// What is handed on by a template is no literal any more: NULL and 0 would arrive as integers where
// a pointer, a stream or an event is asked for. What is given as an integer by value becomes
// whatever is asked for.
#pragma once

#include <type_traits>
#include <utility>

namespace geak_hip_on_cuda {

template <typename Integer>
struct Passed {
  Integer value;

  template <typename Object>
  operator Object*() const {  // NOLINT: as implicit as the literal's conversion
    return reinterpret_cast<Object*>(static_cast<unsigned long long>(value));
  }
  template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
  operator Number() const {  // NOLINT
    return static_cast<Number>(value);
  }
};

// Variables keep their own type: symbols of the device are taken by reference.
template <typename Argument>
decltype(auto) pass(std::remove_reference_t<Argument>& argument) {
  if constexpr (std::is_integral_v<Argument>)
    return Passed<Argument>{argument};
  else
    return static_cast<Argument&&>(argument);
}

}  // namespace geak_hip_on_cuda
