#include "clang-tool/variant.h"

#include <string_view>
#include <utility>

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SHA256.h>

#include "support/json_text.h"

namespace geak::clang_tool {
namespace {

constexpr std::string_view separator = "__geak_";
constexpr std::size_t digest_digits = 8;

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

std::string digest_of(const Variant& variant) {
  const nlohmann::json content = {
      {"text", variant.text}, {"launch", variant.launch}, {"guard", variant.guard}};
  llvm::SHA256 hash;
  hash.update(support::json_text(content));
  return llvm::toHex(hash.final(), /*LowerCase=*/true).substr(0, digest_digits);
}

}  // namespace

Variant finish_variant(std::string kernel, Variant variant) {
  variant.name = std::move(kernel) + std::string(separator) + digest_of(variant);
  replace_all(variant.text, variant_name_placeholder, variant.name);
  replace_all(variant.guard, variant_name_placeholder, variant.name);
  return variant;
}

std::string variant_digest(const Variant& variant) {
  const auto at = variant.name.rfind(separator);
  if (at == std::string::npos || variant.name.size() - at - separator.size() != digest_digits)
    return {};
  return variant.name.substr(at + separator.size());
}

void to_json(nlohmann::json& json, const RecipeStep& step) {
  json = {{"transform", step.transform}, {"parameters", step.parameters}};
}

void from_json(const nlohmann::json& json, RecipeStep& step) {
  json.at("transform").get_to(step.transform);
  step.parameters = json.value("parameters", nlohmann::json::object());
}

void to_json(nlohmann::json& json, const Variant& variant) {
  json = {{"name", variant.name},
          {"text", variant.text},
          {"launch", variant.launch},
          {"guard", variant.guard},
          {"recipe", variant.recipe}};
}

void from_json(const nlohmann::json& json, Variant& variant) {
  json.at("name").get_to(variant.name);
  json.at("text").get_to(variant.text);
  json.at("launch").get_to(variant.launch);
  variant.launch.guard.reset();  // `guard` says it
  variant.guard = json.value("guard", "");
  variant.recipe = json.value("recipe", std::vector<RecipeStep>{});
}

}  // namespace geak::clang_tool
