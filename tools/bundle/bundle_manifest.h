#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "problems/override.h"
#include "tools/usage_error.h"

namespace nightshift::tools {

// A bundle that cannot be trusted or understood: the message names the entry.
class BundleError : public UsageError {
  using UsageError::UsageError;
};

inline constexpr const char* kManifest = "manifest.json";
inline constexpr const char* kClaim = "claim.json";

// A file of a bundle.
struct BundleFile {
  std::string path;  // from the bundle's top, "files/scale.cc"
  std::uint64_t bytes = 0;
  std::string hash;  // XXH3-128 of the content, 32 hexadecimal digits: xxh128sum prints the same
  bool executable = false;
  friend bool operator==(const BundleFile&, const BundleFile&) = default;
};

// manifest.json: what a bundle consists of.
//
//   manifest.json   this
//   claim.json      what `export --format json` writes: winner, claim, what the study was made of
//   README.txt      for people
//   files/...       problem file, sources, includes, programs, recordings, as they lay under `root`
//   artifacts/HASH  machine code of the winner and the baseline; a file, or the folder that a build
//                   made
struct BundleManifest {
  std::string version;       // of the program that wrote it
  std::string root;          // folder that files/ stands for where it was written, absolute
  std::string problem_file;  // from `root`
  std::string problem_text;  // file of the bundle; empty: the problem file is a recording
  std::vector<problems::Override> overrides;  // with which the text is read
  std::vector<BundleFile> files;              // all but the manifest, by path
  friend bool operator==(const BundleManifest&, const BundleManifest&) = default;
};

std::string to_json(const BundleManifest& manifest);

// Of any text. What is returned names files inside of the bundle only, each once, none inside of
// another, all together of bounded size, and among them the claim and the problem. Throws
// BundleError.
BundleManifest read_manifest(std::string_view text);

// The entry of this path; nullptr where there is none.
const BundleFile* find_file(const BundleManifest& manifest, std::string_view path);

// Why a path must not stand in a manifest: it is absolute, leaves its folder, or is no plain name.
// Empty: it may.
std::string wrong_with_path(std::string_view path);

}  // namespace nightshift::tools
