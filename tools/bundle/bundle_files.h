#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tools/bundle/bundle_manifest.h"

namespace nightshift::tools {

// Files of bundles on disk. What is read of one was written by anybody: no link is followed,
// nothing but regular files is opened, no more is read of a file than the manifest says, and the
// bytes that are copied are those whose hash was right.

// Writes a file below `top` and says how the manifest calls it. Throws UsageError.
BundleFile put_file(const std::filesystem::path& top, const std::string& path,
                    std::string_view bytes, bool executable);

// The manifest of the bundle in the folder `bundle`. Throws BundleError.
BundleManifest manifest_of(const std::string& bundle);

// Where the copy of a file lies: what stands for a file under the root, below `tree` at its path
// there, so that compilers see the paths that they saw there (tools/nodes/node_files.h); all else
// below `top`.
struct CopyPlaces {
  std::filesystem::path tree, top;
  std::filesystem::path of(const BundleManifest& manifest, const std::string& path) const;
};

// Copies all files of the bundle to their places, which nothing is in yet. Throws BundleError where
// an entry is missing, more than the manifest says, of another kind or has other bytes;
// std::filesystem::filesystem_error.
void copy_files(const std::string& bundle, const BundleManifest& manifest,
                const CopyPlaces& places);

}  // namespace nightshift::tools
