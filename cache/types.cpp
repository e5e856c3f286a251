#include "cache/types.h"

#include "cache/error.h"

namespace geak::cache {
namespace {

// The text between `prefix` and a final ')'; false when `text` has another form.
bool inside(const std::string& text, const std::string& prefix, std::string& out) {
  if (!text.starts_with(prefix) || !text.ends_with(")") || text.size() <= prefix.size() + 1)
    return false;
  out = text.substr(prefix.size(), text.size() - prefix.size() - 1);
  return true;
}

}  // namespace

std::string EvidenceType::text() const {
  return (kind == Kind::modelled ? "modelled(" : "measured(") + where + ")";
}

EvidenceType EvidenceType::parse(const std::string& text) {
  EvidenceType type;
  if (inside(text, "modelled(", type.where)) return type;
  type.kind = Kind::measured;
  if (inside(text, "measured(", type.where)) return type;
  throw CacheError("'" + text + "' is no evidence type: modelled(<architecture>) and " +
                   "measured(<device>) are");
}

std::string Verification::text() const {
  return std::string("verified(") + (emulated ? "emulated " : "") + where + ")";
}

Verification Verification::parse(const std::string& text) {
  Verification verification;
  if (inside(text, "verified(emulated ", verification.where)) return verification;
  verification.emulated = false;
  if (inside(text, "verified(", verification.where)) return verification;
  throw CacheError("'" + text + "' is no verification: verified(emulated <architecture>) and " +
                   "verified(<device>) are");
}

}  // namespace geak::cache
