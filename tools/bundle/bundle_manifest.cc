#include "tools/bundle/bundle_manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/utf8.h"
#include "tools/text/format.h"
#include "tools/text/page.h"

namespace nightshift::tools {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kFormat = "nightshift bundle";
constexpr int kVersion = 1;
constexpr std::size_t kMostText = std::size_t{16} << 20;
constexpr std::size_t kMostFiles = 100'000;
constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;  // all files together
constexpr std::uint64_t kMostFileBytes = std::uint64_t{512} << 20;
constexpr std::size_t kLongestPath = 2048;
constexpr std::size_t kLongestName = 255;

[[noreturn]] void fail(const std::string& what) {
  throw BundleError(std::string(kManifest) + ": " + what);
}

std::string shown(std::string_view text) {
  constexpr std::size_t kEnough = 200;
  return "'" + fit(one_line(text), kEnough) + "'";
}

const json& member(const json& object, const char* key, const std::string& of) {
  const auto it = object.find(key);
  if (it == object.end()) fail(of + "has no '" + key + "'");
  return *it;
}

std::string text_of(const json& object, const char* key, const std::string& of = "") {
  const json& value = member(object, key, of);
  if (!value.is_string()) fail(of + "'" + key + "' is no text");
  return value.get<std::string>();
}

bool is_hash(const std::string& text) {
  constexpr std::size_t kDigits = 32;
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = base::utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

BundleFile file_of(const json& entry) {
  if (!entry.is_object()) fail("an entry of 'files' is no object");
  BundleFile file;
  file.path = text_of(entry, "path", "an entry of 'files' ");
  const std::string of = "the file " + shown(file.path) + " ";
  if (const std::string wrong = wrong_with_path(file.path); !wrong.empty()) fail(of + wrong);
  if (file.path == kManifest) fail(of + "is the manifest itself");
  const json& bytes = member(entry, "bytes", of);
  if (!bytes.is_number_unsigned()) fail(of + "has 'bytes' that are no whole number");
  file.bytes = bytes.get<std::uint64_t>();
  if (file.bytes > kMostFileBytes) fail(of + "is larger than 512 MiB, the most that is taken");
  file.hash = text_of(entry, "hash", of);
  if (!is_hash(file.hash)) fail(of + "has a 'hash' that is none");
  if (const auto it = entry.find("executable"); it != entry.end()) {
    if (!it->is_boolean()) fail(of + "has an 'executable' that is neither true nor false");
    file.executable = it->get<bool>();
  }
  return file;
}

// The file that `path` lies inside of; empty: none.
std::string_view folder_inside(const std::vector<BundleFile>& files, const std::string& path) {
  for (std::size_t slash = path.find('/'); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const std::string_view folder = std::string_view(path).substr(0, slash);
    if (std::ranges::binary_search(files, folder, {}, &BundleFile::path)) return folder;
  }
  return "";
}

std::vector<BundleFile> files_of(const json& list) {
  if (!list.is_array()) fail("'files' is no list");
  if (list.size() > kMostFiles) fail("names more than 100,000 files, the most that are taken");
  std::vector<BundleFile> files;
  std::uint64_t bytes = 0;
  for (const json& entry : list) {
    files.push_back(file_of(entry));
    bytes += files.back().bytes;
    if (bytes > kMostBytes) fail("names more than 4 GiB of files, the most that are taken");
  }
  std::ranges::sort(files, {}, &BundleFile::path);
  const auto twice = std::ranges::adjacent_find(files, {}, &BundleFile::path);
  if (twice != files.end()) fail("names " + shown(twice->path) + " twice");
  for (const BundleFile& file : files) {
    const std::string_view folder = folder_inside(files, file.path);
    if (!folder.empty()) {
      fail("names " + shown(folder) + " as a file and " + shown(file.path) + " inside of it");
    }
  }
  return files;
}

std::vector<problems::Override> overrides_of(const json& list) {
  if (!list.is_array()) fail("'overrides' is no list");
  std::vector<problems::Override> overrides;
  for (const json& entry : list) {
    const std::string text = entry.is_string() ? entry.get<std::string>() : "";
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      fail("'overrides' has an entry that is no 'KEY=VALUE'");
    }
    overrides.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return overrides;
}

std::string root_of(const json& object) {
  std::string root = text_of(object, "root");
  const bool is_root = root == "/" || (root.starts_with('/') && root.size() > 1 &&
                                       wrong_with_path(std::string_view(root).substr(1)).empty());
  if (!is_root) fail("'root' is " + shown(root) + ", which is no absolute path of a folder");
  return root;
}

void check_format(const json& object) {
  if (!object.is_object() || object.value("format", json()) != kFormat) {
    fail(std::string("is no manifest: expected an object with \"format\": \"") + kFormat + "\"");
  }
  const json& version = member(object, "version", "");
  if (!version.is_number_unsigned()) fail("'version' is no whole number");
  if (version.get<std::uint64_t>() != kVersion) {
    fail(fmt::format("is of version {}, and this nightshift reads version {}",
                     version.get<std::uint64_t>(), kVersion));
  }
}

void require(const BundleManifest& manifest, const std::string& path, const std::string& what) {
  if (find_file(manifest, path) == nullptr) {
    fail("'files' lacks " + shown(path) + ", which is the " + what);
  }
}

}  // namespace

std::string wrong_with_path(std::string_view path) {
  if (path.empty()) return "has an empty path";
  if (path.size() > kLongestPath) return "has a path of more than 2,048 bytes";
  if (path.front() == '/') return "has an absolute path";
  if (!is_utf8(path)) return "has a path that is no UTF-8";
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; };
  if (std::ranges::any_of(path, is_control)) return "has a control character in its path";
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view name = path.substr(at, end - at);
    if (name.empty()) return "has an empty name in its path";
    if (name == "." || name == "..") return "has '" + std::string(name) + "' in its path";
    if (name.size() > kLongestName) return "has a name of more than 255 bytes in its path";
    at = end + 1;
  }
  return "";
}

const BundleFile* find_file(const BundleManifest& manifest, std::string_view path) {
  const auto it = std::ranges::lower_bound(manifest.files, path, {}, &BundleFile::path);
  return it != manifest.files.end() && it->path == path ? &*it : nullptr;
}

std::string to_json(const BundleManifest& manifest) {
  ordered_json files = ordered_json::array();
  for (const BundleFile& file : manifest.files) {
    ordered_json entry = {{"path", file.path}, {"bytes", file.bytes}, {"hash", file.hash}};
    if (file.executable) entry["executable"] = true;
    files.push_back(std::move(entry));
  }
  ordered_json overrides = ordered_json::array();
  for (const auto& [key, value] : manifest.overrides) overrides.push_back(key + "=" + value);
  return json_text({{"format", kFormat},
                    {"version", kVersion},
                    {"nightshift", manifest.version},
                    {"root", manifest.root},
                    {"problem_file", manifest.problem_file},
                    {"problem_text", manifest.problem_text},
                    {"overrides", std::move(overrides)},
                    {"files", std::move(files)}});
}

BundleManifest read_manifest(std::string_view text) {
  if (text.size() > kMostText) fail("is larger than 16 MiB, the most that is taken");
  const json object = json::parse(text, nullptr, false);
  check_format(object);
  BundleManifest manifest;
  manifest.version = text_of(object, "nightshift");
  manifest.root = root_of(object);
  manifest.problem_file = text_of(object, "problem_file");
  const std::string wrong = wrong_with_path(manifest.problem_file);
  if (!wrong.empty()) fail("'problem_file', " + shown(manifest.problem_file) + ", " + wrong);
  manifest.problem_text = text_of(object, "problem_text");
  manifest.overrides = overrides_of(member(object, "overrides", ""));
  manifest.files = files_of(member(object, "files", ""));
  require(manifest, kClaim, "claim");
  require(manifest,
          manifest.problem_text.empty() ? "files/" + manifest.problem_file : manifest.problem_text,
          "problem");
  return manifest;
}

}  // namespace nightshift::tools
