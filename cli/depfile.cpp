#include "cli/depfile.h"

namespace geak::cli {
namespace {

std::string escaped(const std::string& path) {
  std::string text;
  for (const char character : path) {
    if (character == ' ' || character == '#') text += '\\';
    if (character == '$') text += '$';
    text += character;
  }
  return text;
}

}  // namespace

std::string depfile(const std::filesystem::path& target, const std::vector<std::string>& files) {
  std::string text = escaped(target.string()) + ":";
  for (const std::string& file : files) text += " \\\n  " + escaped(file);
  return text + "\n";
}

}  // namespace geak::cli
