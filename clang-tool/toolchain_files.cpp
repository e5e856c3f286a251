#include "clang-tool/toolchain_digest.h"

#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "support/child_process.h"

namespace geak::clang_tool {
namespace fs = std::filesystem;
namespace {

using Words = std::vector<std::string>;

/// A line of `-###`: every word in double quotes, with backslashes before `"`, `\` and `$`.
Words quoted_words(const std::string& line) {
  Words words;
  for (std::size_t at = 0; (at = line.find('"', at)) != std::string::npos;) {
    std::string word;
    for (++at; at < line.size() && line[at] != '"'; ++at) {
      if (line[at] == '\\' && at + 1 < line.size()) ++at;
      word += line[at];
    }
    words.push_back(word);
    ++at;
  }
  return words;
}

std::string word_after(const Words& words, std::string_view option) {
  const auto found = std::ranges::find(words, option);
  return found == words.end() || found + 1 == words.end() ? "" : *(found + 1);
}

/// The folders that the loader looks into for libraries of a program.
std::vector<fs::path> library_folders(const fs::path& binary, llvm::StringRef run_path) {
  std::vector<fs::path> folders;
  llvm::SmallVector<llvm::StringRef> parts;
  run_path.split(parts, ':', -1, false);
  for (const llvm::StringRef part : parts) {
    std::string folder = part.str();
    for (const char* origin : {"$ORIGIN", "${ORIGIN}"})
      if (const auto at = folder.find(origin); at != std::string::npos)
        folder.replace(at, std::string_view(origin).size(), binary.parent_path().string());
    folders.emplace_back(folder);
  }
  for (const char* folder : {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64",
                             "/usr/lib64", "/usr/lib", "/usr/local/lib"})
    folders.emplace_back(folder);
  return folders;
}

/// What an ELF file's dynamic section says of libraries.
struct Dynamic {
  std::string run_path;
  std::vector<std::string> needed;
};

template <typename T>
std::optional<T> value_or_nothing(llvm::Expected<T> value) {
  if (value) return std::move(*value);
  llvm::consumeError(value.takeError());
  return std::nullopt;
}

/// Nothing for what is no 64-bit little-endian ELF file: a script, say.
std::optional<Dynamic> dynamic_section(const fs::path& binary) {
  auto buffer = llvm::MemoryBuffer::getFile(binary.string(), false, false);
  if (!buffer) return std::nullopt;
  const auto object = value_or_nothing(llvm::object::ObjectFile::createELFObjectFile(**buffer));
  if (!object) return std::nullopt;
  const auto* elf = llvm::dyn_cast<llvm::object::ELF64LEObjectFile>(object->get());
  if (elf == nullptr) return std::nullopt;
  const auto entries = value_or_nothing(elf->getELFFile().dynamicEntries());
  if (!entries) return std::nullopt;
  const char* strings = nullptr;
  for (const auto& entry : *entries) {
    if (entry.getTag() != llvm::ELF::DT_STRTAB) continue;
    if (const auto table = value_or_nothing(elf->getELFFile().toMappedAddr(entry.getPtr())))
      strings = reinterpret_cast<const char*>(*table);
  }
  if (strings == nullptr) return std::nullopt;
  Dynamic dynamic;
  for (const auto& entry : *entries) {
    if (entry.getTag() == llvm::ELF::DT_RUNPATH || entry.getTag() == llvm::ELF::DT_RPATH)
      dynamic.run_path = strings + entry.getVal();
    if (entry.getTag() == llvm::ELF::DT_NEEDED)
      dynamic.needed.emplace_back(strings + entry.getVal());
  }
  return dynamic;
}

/// The LLVM and Clang libraries that a program needs; other libraries do not decide device code.
void add_llvm_libraries(const fs::path& binary, std::vector<fs::path>& files) {
  const auto dynamic = dynamic_section(binary);
  if (!dynamic) return;
  for (const std::string& library : dynamic->needed) {
    if (!library.starts_with("libLLVM") && !library.starts_with("libclang")) continue;
    for (const fs::path& folder : library_folders(binary, dynamic->run_path))
      if (fs::exists(folder / library)) {
        files.push_back(fs::canonical(folder / library));
        break;
      }
  }
}

/// What the compiler says that it would run for this command.
std::string asked(const CompileCommand& command) {
  support::ChildOptions child;
  child.command = command.arguments;
  child.command.insert(child.command.begin() + 1, "-###");
  child.directory = command.directory;
  child.timeout = std::chrono::seconds(60);
  const auto answer = support::run_child(child);
  if (!answer.succeeded())
    throw std::runtime_error(command.arguments.front() + " -### failed; the command of " +
                             command.file +
                             " would fail too: " + answer.err.substr(0, answer.err.find('\n')));
  return answer.err + answer.out;
}

std::vector<fs::path> files_in_answer(const std::string& answer, const std::string& target_id) {
  const std::string processor = target_id.substr(0, target_id.find(':'));
  std::vector<fs::path> files;
  for (std::size_t begin = 0; begin < answer.size();) {
    const std::size_t end = std::min(answer.find('\n', begin), answer.size());
    const Words words = quoted_words(answer.substr(begin, end - begin));
    begin = end + 1;
    if (words.empty()) continue;
    const bool compiles = word_after(words, "-triple").starts_with("amdgcn");
    const bool links = fs::path(words[0]).filename().string().find("lld") != std::string::npos;
    if (!compiles && !links) continue;
    if (compiles && !processor.empty() && word_after(words, "-target-cpu") != processor) continue;
    files.emplace_back(words[0]);
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
      if (words[i] == "-mlink-builtin-bitcode") files.emplace_back(words[i + 1]);
  }
  return files;
}

}  // namespace

std::vector<fs::path> toolchain_files(const CompileCommand& command, const std::string& target_id) {
  // Asking costs a process or two; a project has few distinct compilers and flags.
  static std::mutex mutex;
  static std::map<std::pair<Words, std::string>, std::vector<fs::path>> known;
  const std::pair identity(command.arguments, target_id);
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(identity); found != known.end()) return found->second;
  }
  std::vector<fs::path> files;
  for (const fs::path& file : files_in_answer(asked(command), target_id)) {
    std::error_code error;
    const fs::path real = fs::canonical(file, error);
    if (error) throw std::runtime_error(file.string() + ": " + error.message());
    files.push_back(real);
    if (real.extension() != ".bc") add_llvm_libraries(real, files);
  }
  if (files.empty())
    throw std::runtime_error(command.arguments.front() + " compiles no device code for " +
                             (target_id.empty() ? "its default target" : target_id) + " from " +
                             command.file);
  std::ranges::sort(files);
  files.erase(std::unique(files.begin(), files.end()), files.end());
  const std::lock_guard lock(mutex);
  return known[identity] = files;
}

}  // namespace geak::clang_tool
