#include "evaluator/sources/source_hash.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/content_hash.h"
#include "base/file_text.h"
#include "evaluator/sources/include_scan.h"
#include "search/option_text.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;

// The path with links of its folder resolved: what the file includes is looked for there, whatever
// the file itself is a link to. nullopt: no file.
std::optional<fs::path> found_at(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  const fs::path folder = fs::canonical(path.parent_path(), error);
  if (error) return std::nullopt;
  return folder / path.filename();
}

// What the options say of includes: NVRTC's and nvcc's, the value in the same word or in the next.
struct IncludeOptions {
  std::vector<std::string> folders;
  std::vector<std::string> files;  // included before the source's first line
};
IncludeOptions include_options(const std::vector<std::string>& options) {
  IncludeOptions found;
  const auto take = [&](std::size_t& i, std::string_view name, std::vector<std::string>& values) {
    const std::string_view option = options[i];
    if (!option.starts_with(name)) return false;
    std::string_view value = option.substr(name.size());
    const bool is_short =
        name == "-I" || name == "-iquote" || name == "-idirafter" || name == "-isystem";
    if (value.empty() && i + 1 < options.size()) {
      value = options[++i];
    } else if (value.starts_with("=")) {
      value.remove_prefix(1);
    } else if (!is_short) {
      return false;
    }
    values.emplace_back(value);
    return true;
  };
  for (std::size_t i = 0; i < options.size(); ++i) {
    (void)(take(i, "-I", found.folders) || take(i, "--include-path", found.folders) ||
           take(i, "-isystem", found.folders) || take(i, "--system-include", found.folders) ||
           take(i, "-iquote", found.folders) || take(i, "-idirafter", found.folders) ||
           take(i, "-include", found.files) || take(i, "-imacros", found.files) ||
           take(i, "--pre-include", found.files));
  }
  return found;
}

// Files are visited in the order in which they are included, so that the text does not depend on
// their paths.
class Walk {
 public:
  Walk(IncludeOptions options, std::string directory)
      : options_(std::move(options)), directory_(std::move(directory)) {}

  void start(const std::string& file) {
    const std::optional<fs::path> source = found_at(fs::absolute(file));
    if (!source) throw std::runtime_error("cannot read " + file);
    numbers_.emplace(source->string(), 0);
    evaluation(*source);
    for (const std::string& name : options_.files) {
      look_for({name, true}, fs::current_path() / directory_);
    }
    for (; !waiting_.empty(); waiting_.pop_front()) evaluation(waiting_.front());
    if (computed_) everything();
  }
  SourceContent content() && {
    return {base::content_hash(text_), std::move(files_), std::move(missing_)};
  }

 private:
  void evaluation(const fs::path& file) {
    const std::string source = base::read_whole_file(file.string());
    files_.emplace_back(file.string(), base::content_hash(source));
    text_ += files_.back().second + "\n";
    const IncludeScan scan = scan_includes(source);
    computed_ = computed_ || scan.computed;
    for (const IncludeName& include : scan.names) look_for(include, file.parent_path());
  }

  void look_for(const IncludeName& include, const fs::path& beside) {
    text_ += include.name;
    if (include.quoted) look_at(beside / include.name);
    for (const std::string& folder : options_.folders) look_at(fs::path(folder) / include.name);
    text_ += '\n';
  }

  // A file is named by the number that it got when it was first seen.
  void look_at(const fs::path& path) {
    const std::optional<fs::path> file = found_at(path);
    if (!file) {
      text_ += " -";
      missing_.push_back(fs::absolute(path).lexically_normal().string());
      return;
    }
    const auto [known, is_new] = numbers_.try_emplace(file->string(), numbers_.size());
    if (is_new) waiting_.push_back(*file);
    text_ += " " + std::to_string(known->second);
  }

  void everything() {
    for (const std::string& folder : options_.folders) {
      std::vector<std::string> files;
      std::error_code error;
      for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
           it.increment(error)) {
        const std::string extension = it->path().extension().string();
        const bool counts = extension == ".h" || extension == ".cuh" || extension == ".hpp" ||
                            extension == ".inc" || extension == ".cu";
        std::error_code gone;
        if (counts && it->is_regular_file(gone)) files.push_back(it->path().string());
      }
      std::sort(files.begin(), files.end());
      for (const std::string& file : files) {
        files_.emplace_back(file, base::content_hash(base::read_whole_file(file)));
        text_ += files_.back().second + "\n";
      }
    }
  }

  IncludeOptions options_;
  std::string directory_;
  std::map<std::string, std::size_t> numbers_;
  std::deque<fs::path> waiting_;
  std::string text_;
  std::vector<std::pair<std::string, std::string>> files_;
  std::vector<std::string> missing_;
  bool computed_ = false;
};

}  // namespace

SourceContent content_of_source(const std::string& file, const std::vector<std::string>& options,
                                const std::string& directory) {
  Walk walk(include_options(search::with_absolute_folders(options, directory)), directory);
  walk.start(file);
  return std::move(walk).content();
}

std::string hash_of_source(const std::string& file, const std::vector<std::string>& options,
                           const std::string& directory) {
  return content_of_source(file, options, directory).hash;
}

}  // namespace nightshift::evaluator
