#include "scheduler/journal/moved_study.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file_text.h"

namespace nightshift::scheduler {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWarmStart = "search.warm_start";

fs::path normal(const std::string& path) {
  fs::path whole = fs::absolute(path).lexically_normal();
  if (whole.filename().empty()) whole = whole.parent_path();  // "a/" and "a/."
  return whole;
}

std::string trimmed(const std::string& line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    line = trimmed(line);
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

// The line by which a problem file says what it is called; empty where it does not.
std::string name_in(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    if (!line.starts_with("name")) continue;
    const std::size_t equals = line.find_first_not_of(" \t", 4);
    if (equals != std::string::npos && line[equals] == '=') return trimmed(line.substr(equals + 1));
  }
  return "";
}

// The same text, or another edition of it: called alike, or, where there is no name, most of its
// lines are there still.
bool is_edition_of(const std::string& text, const std::string& known) {
  if (text == known) return true;
  const std::vector<std::string> lines = lines_of(text), known_lines = lines_of(known);
  const std::string name = name_in(lines), known_name = name_in(known_lines);
  if (!name.empty() || !known_name.empty()) return name == known_name;
  const std::set<std::string> had(known_lines.begin(), known_lines.end());
  const auto kept =
      std::ranges::count_if(lines, [&](const auto& one) { return had.contains(one); });
  return 2 * kept > static_cast<std::ptrdiff_t>(lines.size());
}

constexpr std::string_view kCommandTable = "[command]\n";
constexpr std::string_view kOfCommandTable = "\n[command.";
constexpr std::string_view kServes = "\"nightshift\", \"serve\", ";

// Of the text of a problem, the tables of the command that is run.
struct CommandPart {
  std::size_t begin = 0, end = 0;
};

CommandPart command_of(const std::string& text) {
  const std::size_t begin = text.find(kCommandTable);
  if (begin == std::string::npos || (begin > 0 && text[begin - 1] != '\n')) return {};
  std::size_t end = text.find("\n[", begin);
  while (end != std::string::npos && text.substr(end).starts_with(kOfCommandTable)) {
    end = text.find("\n[", end + 1);
  }
  return {begin, std::min(end, text.size())};
}

// Its command is `INTERPRETER -m nightshift serve FILE`, however its lines are broken.
bool is_described(const std::string& command) {
  std::string joined;
  for (const std::string& line : lines_of(command)) joined += line + ' ';
  return joined.find(kServes) != std::string::npos;
}

// `text` with what `told` makes of each of its quoted strings.
template <typename Told>
std::string with_strings(const std::string& text, const Told& told) {
  std::string now;
  for (std::size_t at = 0; at < text.size();) {
    const char quote = text[at];
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != quote)
      end += quote == '"' && text[end] == '\\' ? 2 : 1;
    if ((quote != '"' && quote != '\'') || end >= text.size()) {
      now += text[at++];
      continue;
    }
    now += quote + told(text.substr(at + 1, end - at - 1)) + quote;
    at = end + 1;
  }
  return now;
}

}  // namespace

MovedFolder::MovedFolder(const std::string& then, const std::string& now) {
  if (then.empty()) return;
  fs::path from = normal(then), to = normal(now);
  std::error_code ignored;
  if (from == to || fs::equivalent(from, to, ignored)) return;
  while (from.filename() == to.filename() && from.has_relative_path() && to.has_relative_path()) {
    from = from.parent_path();
    to = to.parent_path();
  }
  from_ = from.string();
  to_ = to.string();
  for (std::string* end : {&from_, &to_}) {
    if (!end->ends_with('/')) *end += '/';
  }
}

std::string MovedFolder::beside(const std::string& path) const {
  if (!has_moved() || !path.starts_with(from_)) return path;
  return to_ + path.substr(from_.size());
}

std::string MovedFolder::problem(const std::string& path, const std::string& text) const {
  const std::string other = beside(path);
  std::error_code ignored;
  if (other == path || !fs::is_regular_file(other, ignored)) return path;
  // A problem that is gone from its place is the one that has moved.
  if (!fs::is_regular_file(path, ignored)) return other;
  const std::string beside = base::text_if_there(other);
  const bool is_same = (!text.empty() && is_edition_of(beside, text)) ||
                       is_edition_of(beside, base::text_if_there(path));
  return is_same ? other : path;
}

std::string MovedFolder::folders(const std::string& list) const {
  return with_strings(list, [this](const std::string& path) {
    std::error_code ignored;
    std::string other = beside(path);
    return fs::is_directory(other, ignored) ? other : path;
  });
}

std::string MovedFolder::described(const std::string& text) const {
  const CommandPart part = command_of(text);
  const std::string command = text.substr(part.begin, part.end - part.begin);
  if (!has_moved() || !is_described(command)) return text;
  const std::string folder = from_.substr(0, from_.size() - 1);
  const auto now = [&](const std::string& path) {
    std::error_code ignored;
    std::string other = path == folder ? to_.substr(0, to_.size() - 1) : beside(path);
    return fs::exists(other, ignored) ? other : path;
  };
  return text.substr(0, part.begin) + with_strings(command, now) + text.substr(part.end);
}

void follow(const MovedFolder& moved, History& history) {
  if (!moved.has_moved()) return;
  StudyHeader& header = history.header;
  for (auto& [key, value] : header.overrides) {
    if (key == kWarmStart) value = moved.folders(value);
  }
  const std::string file = moved.problem(header.problem_file, header.problem_text);
  if (file == header.problem_file) return;
  header.problem_file = file;
  header.problem_text = moved.described(header.problem_text);
  for (search::IdentityPart& part : header.identity) part.name = moved.beside(part.name);
  for (Remark& remark : history.remarks) {
    const std::size_t name = remark.detail.find(' ') + 1;
    if (remark.what != kIdentityRemark || name == 0) continue;
    remark.detail = remark.detail.substr(0, name) + moved.beside(remark.detail.substr(name));
  }
}

void follow(const MovedFolder& moved, std::vector<BatchStudyRecord>& studies) {
  if (!moved.has_moved()) return;
  for (BatchStudyRecord& study : studies) {
    study.terms.problem = moved.problem(study.terms.problem, "");
    for (auto& [key, value] : study.terms.overrides) {
      if (key == kWarmStart) value = moved.folders(value);
    }
  }
}

}  // namespace nightshift::scheduler
