// What is handed on by a template is no literal any more: NULL and 0 would arrive as integers where
// a pointer, a stream or an event is asked for. What is given as an integer by value becomes
// whatever is asked for. In C++11, as the programs may be.
#pragma once

#include <type_traits>

namespace geak_hip_on_cuda {

template <typename Integer>
struct Passed {
  Integer value;

  template <typename Object>
  operator Object*() const {  // NOLINT: as implicit as the literal's conversion
    return reinterpret_cast<Object*>(static_cast<unsigned long long>(value));
  }
  template <typename Number,
            typename = typename std::enable_if<std::is_arithmetic<Number>::value>::type>
  operator Number() const {  // NOLINT
    return static_cast<Number>(value);
  }
};

// Variables keep their own type: symbols of the device are taken by reference.
template <typename Argument>
typename std::enable_if<std::is_integral<Argument>::value, Passed<Argument>>::type pass(
    typename std::remove_reference<Argument>::type& argument) {
  return {argument};
}
template <typename Argument>
typename std::enable_if<!std::is_integral<Argument>::value, Argument&&>::type pass(
    typename std::remove_reference<Argument>::type& argument) {
  return static_cast<Argument&&>(argument);
}

}  // namespace geak_hip_on_cuda
