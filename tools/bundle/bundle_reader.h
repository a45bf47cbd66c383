#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "problems/override.h"
#include "search/problem.h"
#include "tools/bundle/bundle_manifest.h"
#include "tools/bundle/stored_export.h"
#include "tools/temporary_folder.h"

namespace nightshift::tools {

// A bundle whose files were found to be what its manifest says, and their copies in a folder of
// this process's own. Nothing of the bundle itself is read again, or written.
struct OpenBundle {
  std::string name;                         // as it was named
  std::shared_ptr<TemporaryFolder> folder;  // has the copies
  std::string tree;                         // in it: what stands for the root of the file system
  std::string artifacts;                    // in it: machine code of then
  std::string claim_file;                   // in it
  BundleManifest manifest;
  StoredExport claim;
};

// Throws BundleError where it is no bundle, an entry is not as the manifest says, or it holds no
// claim.
OpenBundle opened_bundle(const std::string& path);

// Whether a folder looks like one: it has a manifest of ours.
bool holds_bundle(const std::string& path);

// The problem whose files are the copies. Throws BundleError where it names files that the bundle
// has not, problems::ProblemFileError, problems::RecordedSpaceError.
search::Problem problem_of(const OpenBundle& bundle,
                           const std::vector<problems::Override>& overrides);

// Of files below /usr, /lib and the like: each machine has its own.
bool is_of_system(const std::string& path);

}  // namespace nightshift::tools
