#pragma once

#include <string>
#include <vector>

#include "search/identity.h"
#include "search/problem.h"

namespace nightshift::evaluator {

// The files that the figures of `problem` depend on, by the hash of their content, as far as the
// problem and the files themselves name them:
//
//   kernels    each source with all that it may include (sources/source_hash.h), and the compiler;
//              of [host] what its options name beside it (sources/option_files.h)
//   programs   what is started, or builds, and their words that are scripts; words of a build that
//              are files, sources with what they include; `inputs`
//   recorded   the recording
//
// What a program loads or reads by itself is not known, nor words that differ between
// configurations. A file above 256 MiB counts by its size and time. What cannot be read is left
// out; nothing throws.
search::Identity files_behind(const search::Problem& problem);
// Where these files are, and where one that is not there yet would be included. Folders of `inputs`
// stand for what is in them.
std::vector<std::string> paths_behind(const search::Problem& problem);

}  // namespace nightshift::evaluator
