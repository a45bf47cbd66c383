// The manifest of a bundle, which comes from anybody: any text is refused or read, and what is read
// names files inside of the bundle alone, each once, and is read as the same when it is written.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "tools/bundle/bundle_manifest.h"

namespace {

// Said in another way than the reader says it.
bool stays_inside(const std::string& path) {
  const std::filesystem::path named = path;
  if (named.empty() || named.is_absolute()) return false;
  for (const auto& name : named) {
    if (name.empty() || name == "." || name == "..") return false;
  }
  return named.lexically_normal() == named;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nightshift::tools;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  BundleManifest manifest;
  try {
    manifest = read_manifest(text);
  } catch (const BundleError&) {
    return 0;
  }
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < manifest.files.size(); ++i) {
    const BundleFile& file = manifest.files[i];
    if (!stays_inside(file.path) || file.path == kManifest) std::abort();
    if (i > 0 && file.path <= manifest.files[i - 1].path) std::abort();
    if (find_file(manifest, file.path) != &file) std::abort();
    if (file.hash.size() != 32) std::abort();
    bytes += file.bytes;
  }
  if (bytes > std::uint64_t{4} << 30U) std::abort();
  if (!stays_inside(manifest.problem_file) || !manifest.root.starts_with('/')) std::abort();
  if (find_file(manifest, kClaim) == nullptr) std::abort();
  if (read_manifest(to_json(manifest)) != manifest) std::abort();
  return 0;
}
