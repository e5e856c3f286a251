#include "worker/bundle.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "replay/archive/frame.h"
#include "support/json_text.h"
#include "worker/bundle_json.h"
#include "worker/zstd_text.h"

namespace geak::worker {
namespace {

namespace fs = std::filesystem;

constexpr char kMagic[8] = {'G', 'E', 'A', 'K', 'B', 'U', 'N', '\n'};
constexpr std::size_t kHeaderBytes = 48;
constexpr std::uint64_t kMostDocument = 512ull << 20;

template <typename T>
void put(std::string& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);  // little-endian, as every host here is
}

template <typename T>
T get(const std::string& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::string digest_text(const std::string& text) {
  return replay::to_hex(replay::digest_of(std::as_bytes(std::span(text))));
}

std::string read_whole(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read the bundle " + file.string());
  return {std::istreambuf_iterator<char>(stream), {}};
}

void take_archives(Bundle& bundle, const nlohmann::json& document, const std::string& bytes,
                   std::size_t at) {
  for (const auto& entry : document.at("records")) {
    const auto length = entry.at("bytes").get<std::uint64_t>();
    if (length > bytes.size() - at) throw std::runtime_error("it is cut off");
    const std::string part = bytes.substr(at, length);
    if (digest_text(part) != entry.at("digest").get<std::string>())
      throw std::runtime_error("an archive in it is damaged (its digest differs)");
    const auto* begin = reinterpret_cast<const std::byte*>(part.data());
    bundle.records.push_back({entry.at("target"), entry.at("size"), {begin, begin + part.size()}});
    at += length;
  }
  if (at != bytes.size()) throw std::runtime_error("more follows than its document says");
}

Bundle parse(const std::string& bytes) {
  if (bytes.size() < kHeaderBytes || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0)
    throw std::runtime_error("it is no bundle of geak");
  if (const auto version = get<std::uint32_t>(bytes, 8); version != kBundleVersion)
    throw std::runtime_error("it is of version " + std::to_string(version) +
                             " of the format; this geak reads version " +
                             std::to_string(kBundleVersion) + ": bundle again with this geak");
  const auto stored = get<std::uint64_t>(bytes, 16), raw = get<std::uint64_t>(bytes, 24);
  if (stored > bytes.size() - kHeaderBytes) throw std::runtime_error("it is cut off");
  if (raw > kMostDocument) throw std::runtime_error("its document claims an impossible size");
  const auto text = decompressed(std::string_view(bytes).substr(kHeaderBytes, stored), raw);
  const auto digest = replay::digest_of(std::as_bytes(std::span(text)));
  if (std::memcmp(digest.data(), bytes.data() + 32, digest.size()) != 0)
    throw std::runtime_error("its document is damaged (its digest differs)");
  const auto document = nlohmann::json::parse(text);
  auto bundle = bundle_from_json(document);
  take_archives(bundle, document, bytes, kHeaderBytes + stored);
  return bundle;
}

}  // namespace

void write_bundle(const Bundle& bundle, const fs::path& file) {
  auto document = to_json(bundle);
  for (std::size_t i = 0; i < bundle.records.size(); ++i) {
    const auto& archive = bundle.records[i].archive;
    document["records"][i]["digest"] = replay::to_hex(replay::digest_of(archive));
  }
  const std::string text = support::json_text(document);
  if (text.size() > kMostDocument)
    throw std::runtime_error("the bundle would be too large: take fewer kernels or candidates");
  const std::string stored = compressed(text);
  std::string header(kHeaderBytes, '\0');
  std::memcpy(header.data(), kMagic, sizeof kMagic);
  put(header, 8, kBundleVersion);
  put(header, 16, static_cast<std::uint64_t>(stored.size()));
  put(header, 24, static_cast<std::uint64_t>(text.size()));
  const auto digest = replay::digest_of(std::as_bytes(std::span(text)));
  std::memcpy(header.data() + 32, digest.data(), digest.size());
  std::ofstream stream(file, std::ios::binary);
  stream << header << stored;
  for (const auto& record : bundle.records)
    stream.write(reinterpret_cast<const char*>(record.archive.data()),
                 static_cast<std::streamsize>(record.archive.size()));
  if (!stream.flush()) throw std::runtime_error("cannot write the bundle " + file.string());
}

Bundle read_bundle(const fs::path& file) {
  const auto bytes = read_whole(file);
  try {
    return parse(bytes);
  } catch (const std::exception& error) {
    throw std::runtime_error(file.string() + ": " + error.what());
  }
}

bool is_safe_path(const std::string& path) {
  if (path.empty() || path.size() > 1024 || path.front() == '/' || path.back() == '/') return false;
  if (std::ranges::any_of(path, [](char c) { return static_cast<unsigned char>(c) < 0x20; }) ||
      path.find('\\') != std::string::npos)
    return false;
  for (std::size_t at = 0; at <= path.size();) {
    const auto end = std::min(path.find('/', at), path.size());
    const auto part = path.substr(at, end - at);
    if (part.empty() || part == "." || part == "..") return false;
    at = end + 1;
  }
  return true;
}

void unpack(const Files& files, const fs::path& folder) {
  fs::create_directories(folder);
  const auto root = fs::canonical(folder);
  for (const auto& [path, text] : files) {
    if (!is_safe_path(path)) throw std::runtime_error("the path " + path + " leaves the folder");
    const fs::path file = root / path;
    fs::create_directories(file.parent_path());
    // A link on the way would lead out of the folder.
    if (fs::canonical(file.parent_path()) != file.parent_path() || fs::is_symlink(file))
      throw std::runtime_error(file.string() + " is reached through a link");
    std::ifstream present(file, std::ios::binary);
    if (present && std::string(std::istreambuf_iterator<char>(present), {}) == text) continue;
    std::ofstream stream(file, std::ios::binary);
    stream << text;
    if (!stream.flush()) throw std::runtime_error("cannot write " + file.string());
  }
}

}  // namespace geak::worker
