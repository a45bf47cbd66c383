#include "tools/bundle/bundle_reader.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "base/file_text.h"
#include "problems/problem_file.h"
#include "tools/bundle/bundle_files.h"
#include "tools/nodes/node_files.h"
#include "tools/problem/bundled_python.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

CopyPlaces places_in(const OpenBundle& bundle) {
  return {bundle.tree, fs::path(bundle.folder->path()) / "bundle"};
}

// Whatever the problem names that is neither the bundle's nor the system's is not what was claimed.
void check_files(const OpenBundle& bundle, const search::Problem& problem) {
  for (const scheduler::ProblemFile& file : portable(problem).files) {
    const std::string path = fs::path(file.path).lexically_normal().string();
    if (path.starts_with(bundle.tree + "/") || is_of_system(path)) continue;
    throw BundleError(one_line(bundle.name) + ": its problem names " + one_line(path) +
                      ", which is not in the bundle");
  }
}

}  // namespace

bool is_of_system(const std::string& path) {
  constexpr std::array<std::string_view, 6> kFolders = {"/usr/", "/lib/",  "/lib64/",
                                                        "/bin/", "/sbin/", "/nix/"};
  return std::ranges::any_of(kFolders, [&](std::string_view f) { return path.starts_with(f); });
}

bool holds_bundle(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error) &&
         fs::exists(fs::symlink_status(fs::path(path) / kManifest, error));
}

OpenBundle opened_bundle(const std::string& path) {
  OpenBundle bundle;
  bundle.name = path;
  bundle.manifest = manifest_of(path);
  bundle.folder = std::make_shared<TemporaryFolder>();
  bundle.tree = bundle.folder->path() + "/tree";
  const CopyPlaces places = places_in(bundle);
  copy_files(path, bundle.manifest, places);
  bundle.artifacts = (places.top / "artifacts").string();
  bundle.claim_file = (places.top / kClaim).string();
  const auto claim = read_export(base::text_if_there(bundle.claim_file));
  if (!claim || !claim->accepted) {
    throw BundleError(one_line(path) + ": " + kClaim +
                      " holds no accepted improvement, so that there is no claim to verify");
  }
  bundle.claim = *claim;
  return bundle;
}

search::Problem problem_of(const OpenBundle& bundle,
                           const std::vector<problems::Override>& overrides) {
  const BundleManifest& manifest = bundle.manifest;
  std::vector<problems::Override> all = manifest.overrides;
  all.insert(all.end(), overrides.begin(), overrides.end());
  const CopyPlaces places = places_in(bundle);
  const std::string file = places.of(manifest, "files/" + manifest.problem_file).string();
  const std::string text = manifest.problem_text.empty()
                               ? ""
                               : base::text_if_there(places.of(manifest, manifest.problem_text));
  search::Problem problem = at_copies(
      problems::parse_problem(text, file, all, problems::TextOrigin::kJournal), bundle.tree);
  check_files(bundle, problem);
  if (serves_python(problem)) use_python_here(problem);
  return problem;
}

}  // namespace nightshift::tools
