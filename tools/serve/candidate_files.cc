#include "tools/serve/candidate_files.h"

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/content_hash.h"
#include "base/file_text.h"
#include "tools/usage_error.h"

namespace nightshift::tools {

namespace fs = std::filesystem;

CandidateFiles files_of(const CandidateRequest& request) {
  if (request.path.empty()) return request.files;
  std::error_code error;
  if (!fs::is_regular_file(request.path, error) || fs::file_size(request.path, error) > kMostLine) {
    throw UsageError("'path' " + request.path + " is no file of at most 4 MiB");
  }
  std::string text;
  try {
    text = base::read_whole_file(request.path);
  } catch (const std::exception& why) {
    throw UsageError("'path' " + request.path + " cannot be read: " + why.what());
  }
  // What the kernel makes up as it is read has no size before.
  if (text.size() > kMostLine) throw UsageError("'path' " + request.path + " is beyond 4 MiB");
  return {{"", std::move(text)}};
}

std::string content_of(const CandidateFiles& files) {
  std::string all;
  for (const auto& [name, text] : files) {
    all += fmt::format("{}:{}\n{}:{}\n", name.size(), name, text.size(), text);
  }
  return base::content_hash(all);
}

}  // namespace nightshift::tools
