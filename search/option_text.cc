#include "search/option_text.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace nightshift::search {
namespace {

// Of gcc, clang, nvcc and NVRTC; the folder is the rest of the word, behind a '=' or not, or the next one.
constexpr std::array<std::string_view, 8> kFolderOptions = {
    "-isystem", "-iquote", "-idirafter", "--include-path", "--system-include", "-I", "-L", "-B"};

std::string absolute(std::string_view path, const std::string& folder) {
  return (std::filesystem::path(folder) / path).lexically_normal().string();
}

}  // namespace

std::string option_text(const FlagParameter& flag, const Value& value) {
  const std::string given = to_text(value);
  if (given.empty()) return "";
  std::string text;
  for (std::size_t at = 0; at < flag.pattern.size();) {
    const bool hole = flag.pattern.compare(at, 2, "{}") == 0;
    text += hole ? given : flag.pattern.substr(at, 1);
    at += hole ? 2 : 1;
  }
  return text;
}

namespace {

// Where the word ends that begins there: a blank between quotes is part of it, and the quotes stay, as
// compilers take those of a macro's text. A quote that nothing closes is a letter.
std::size_t end_of_word(const std::string& text, std::size_t at) {
  for (; at < text.size() && text[at] != ' '; ++at) {
    if (text[at] != '"' && text[at] != '\'') continue;
    const std::size_t closing = text.find(text[at], at + 1);
    if (closing != std::string::npos) at = closing;
  }
  return at;
}

}  // namespace

std::vector<std::string> option_words(const std::vector<FlagParameter>& flags,
                                      const Configuration& configuration) {
  std::vector<std::string> words;
  for (const auto& [name, value] : configuration.entries()) {
    const auto flag = std::ranges::find(flags, name, &FlagParameter::parameter);
    if (flag == flags.end()) continue;
    const std::string text = option_text(*flag, value);
    std::size_t begin = 0;
    while ((begin = text.find_first_not_of(' ', begin)) != std::string::npos) {
      const std::size_t end = end_of_word(text, begin);
      words.push_back(text.substr(begin, end - begin));
      begin = end;
    }
  }
  return words;
}

std::vector<std::string> with_absolute_folders(std::vector<std::string> options,
                                               const std::string& folder) {
  for (std::size_t i = 0; i < options.size(); ++i) {
    std::string& word = options[i];
    const auto option = std::ranges::find_if(
        kFolderOptions, [&](std::string_view name) { return word.starts_with(name); });
    if (option == kFolderOptions.end()) continue;
    if (word != *option) {
      const std::size_t at = option->size() + (word[option->size()] == '=' ? 1 : 0);
      word.replace(at, std::string::npos, absolute(word.substr(at), folder));
    } else if (++i < options.size()) {
      options[i] = absolute(options[i], folder);
    }
  }
  return options;
}

std::size_t path_in_option(std::string_view word) {
  if (word.empty() || word.starts_with("-D")) return std::string_view::npos;
  if (!word.starts_with('-')) return word.starts_with('@') ? 1 : 0;
  for (const std::string_view name : {"-I", "-L", "-B"}) {
    if (word.starts_with(name)) return name.size();
  }
  const std::size_t equals = word.find('=');
  return equals == std::string_view::npos ? equals : equals + 1;
}

}  // namespace nightshift::search
