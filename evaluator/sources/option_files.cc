#include "evaluator/sources/option_files.h"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file_text.h"
#include "base/text.h"
#include "evaluator/process/program_path.h"
#include "search/option_text.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr int kMostNested = 8;  // @files in @files; gcc ends at 2000
constexpr std::string_view kToLinker = "-Wl,";

// As gcc reads an @file: blanks between words, quotes around some, and a backslash before any letter.
Words words_of_file(std::string_view text) {
  Words words;
  bool is_open = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quote == 0 && base::is_blank(c)) {
      is_open = false;
      continue;
    }
    if (!is_open) words.emplace_back();
    is_open = true;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else {
      if (c == '\\' && i + 1 < text.size()) c = text[++i];
      words.back() += c;
    }
  }
  return words;
}

class Reader {
 public:
  explicit Reader(const fs::path& directory) : directory_(directory) {}

  OptionFiles read(const Words& options) {
    for (const std::string& word : options) expand(word, 0);
    read_folders();
    for (std::size_t i = 0; i < found_.options.size(); ++i) {
      if (found_.options[i].starts_with("-l")) {
        look_for_library(value_of(i));
      } else {
        look_at(found_.options[i]);
      }
    }
    return std::move(found_);
  }

 private:
  void expand(const std::string& word, int depth) {
    if (word.starts_with('@') && depth < kMostNested && is_file(directory_ / word.substr(1))) {
      add(word.substr(1));
      const std::string text = base::text_if_there((directory_ / word.substr(1)).string());
      for (const std::string& inner : words_of_file(text)) expand(inner, depth + 1);
    } else if (word.starts_with(kToLinker)) {
      for (std::size_t at = kToLinker.size(); at <= word.size();) {
        const std::size_t end = std::min(word.find(',', at), word.size());
        found_.options.push_back(word.substr(at, end - at));
        at = end + 1;
      }
    } else if (word != "-Xlinker") {
      found_.options.push_back(word);
    }
  }

  // Of -LDIR or -L DIR; `i` is then at the last of its words.
  std::string value_of(std::size_t& i) const {
    const std::string& word = found_.options[i];
    const bool is_split = word.size() == 2 && i + 1 < found_.options.size();
    return is_split ? found_.options[++i] : word.substr(2);
  }

  void read_folders() {
    for (std::size_t i = 0; i < found_.options.size(); ++i) {
      if (found_.options[i].starts_with("-L")) libraries_.push_back(value_of(i));
    }
  }

  // A linker takes the first one; each counts, so that no other comes before it unseen.
  void look_for_library(const std::string& name) {
    const Words names = name.starts_with(':') ? Words{name.substr(1)}
                                              : Words{"lib" + name + ".so", "lib" + name + ".a"};
    for (const std::string& folder : libraries_) {
      for (const std::string& file : names) {
        const fs::path path = fs::path(folder) / file;
        if (is_file(directory_ / path)) {
          add(path.string());
        } else {
          found_.missing.push_back(fs::absolute(directory_ / path).lexically_normal().string());
        }
      }
    }
  }

  void look_at(const std::string& word) {
    const std::size_t at = search::path_in_option(word);
    if (at == std::string::npos || at >= word.size()) return;
    const std::string name = word.substr(at);
    std::error_code error;
    if (is_file(directory_ / name)) {
      add(name);
    } else if (word.find("profile") < at && word.find("-use=") < at &&
               fs::is_directory(directory_ / name, error)) {
      found_.folders.push_back(fs::absolute(directory_ / name).lexically_normal());
    }
  }

  void add(const std::string& name) {
    const fs::path path = fs::absolute(directory_ / name).lexically_normal();
    if (std::ranges::find(found_.files, path, &OptionFiles::File::path) != found_.files.end())
      return;
    found_.files.push_back({name, path});
  }

  const fs::path& directory_;
  Words libraries_;  // folders
  OptionFiles found_;
};

}  // namespace

OptionFiles files_in_options(const Words& options, const fs::path& directory) {
  return Reader(directory).read(options);
}

}  // namespace nightshift::evaluator
