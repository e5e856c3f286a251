#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace geak::support {

// JSON as text, whatever bytes its strings hold: names and messages come from code objects, paths
// and compilers, and what is no UTF-8 there must not be what ends a command. Such bytes become
// U+FFFD. `indent` below 0: one line. An ordered document keeps its order.
template <typename Json = nlohmann::json>
std::string json_text(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

}  // namespace geak::support
