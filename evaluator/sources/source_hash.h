#pragma once

#include <string>
#include <utility>
#include <vector>

namespace nightshift::evaluator {

// The hash of a source and of all that it may include, transitively (include_scan.h): looked for
// beside the file that includes it and in every folder that `options`, those of the compiler, name.
// Every file that is found counts, not only the first, and that none is counts as well: a new file
// that comes before another changes the hash. Where the folders lie does not.
//
// With an include that only a preprocessor can tell, all sources and headers below the folders
// count. What is found in none of them is the compiler's, whose version is not part of this.
//
// `directory` is where the compiler is started: what is relative in its options goes by it.
//
// Throws std::runtime_error where a file cannot be read.
std::string hash_of_source(const std::string& file, const std::vector<std::string>& options,
                           const std::string& directory = ".");

// The same with the files that count: absolute path and hash of the content, each once, in the
// order in which they are met.
struct SourceContent {
  std::string hash;
  std::vector<std::pair<std::string, std::string>> files;
  std::vector<std::string> missing;  // absolute paths at which an include was looked for in vain
};
SourceContent content_of_source(const std::string& file, const std::vector<std::string>& options,
                                const std::string& directory = ".");

}  // namespace nightshift::evaluator
