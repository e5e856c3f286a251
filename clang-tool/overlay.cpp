#include "clang-tool/swap.h"

#include <nlohmann/json.hpp>

#include "support/atomic_file.h"
#include "support/json_text.h"

namespace geak::clang_tool {
namespace fs = std::filesystem;
namespace {

nlohmann::json mapping(const fs::path& name, const fs::path& generated) {
  return {{"type", "file"}, {"name", name.string()}, {"external-contents", generated.string()}};
}

}  // namespace

std::vector<fs::path> write_overlay(const Rewriting& rewriting, const fs::path& folder) {
  const fs::path absolute = fs::absolute(folder).lexically_normal();
  std::vector<fs::path> written{absolute / "overlay.yaml"};
  auto roots = nlohmann::json::array();
  for (std::size_t i = 0; i < rewriting.files.size(); ++i) {
    const fs::path original = rewriting.files[i].path;
    // The number keeps headers of the same name apart.
    const fs::path generated = absolute / (std::to_string(i) + "_" + original.filename().string());
    support::write_if_changed(generated, rewriting.files[i].text);
    written.push_back(generated);
    roots.push_back(mapping(original, generated));
    std::error_code ignored;
    if (const fs::path real = fs::canonical(original, ignored); !ignored && real != original)
      roots.push_back(mapping(real, generated));
  }
  // External names off: diagnostics, __FILE__ and look-up of neighbours keep the original's name.
  // The version comes first: clang 15 takes a number before a line's end for none.
  nlohmann::ordered_json overlay;
  overlay["version"] = 0;
  overlay["case-sensitive"] = "true";
  overlay["use-external-names"] = "false";
  overlay["roots"] = roots;
  support::write_if_changed(written.front(), support::json_text(overlay, 2) + "\n");
  return written;
}

}  // namespace geak::clang_tool
