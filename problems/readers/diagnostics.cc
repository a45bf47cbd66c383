#include "problems/readers/diagnostics.h"
#include "base/nearest.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace nightshift::problems {
namespace {

std::string joined(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!text.empty()) text += '\n';
    text += to_string(diagnostic);
  }
  return text;
}

}  // namespace

std::string to_string(const Diagnostic& diagnostic) {
  return place_of({diagnostic.file, diagnostic.line, diagnostic.column}) + ": " +
         diagnostic.message;
}

std::string place_of(const SourceLocation& location) {
  std::string text = location.file;
  if (location.line > 0) text += ":" + std::to_string(location.line);
  if (location.line > 0 && location.column > 0) text += ":" + std::to_string(location.column);
  return text;
}

ProblemFileError::ProblemFileError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(joined(diagnostics)), diagnostics_(std::move(diagnostics)) {}

SourceLocation LocatedString::at(std::size_t position) const {
  if (!exact) return location;
  return {location.file, location.line,
          location.column + static_cast<int>(std::min(position, text.size()))};
}

void Diagnostics::add(const SourceLocation& location, std::string message) {
  const std::string& file = location.file.empty() ? file_ : location.file;
  if (const auto includer = includers_.find(file); includer != includers_.end()) {
    message += " (included by " + place_of(includer->second) + ")";
  }
  found_.push_back({file, location.line, location.column, std::move(message)});
}

void Diagnostics::set_includer(std::string file, SourceLocation by) {
  if (by.file.empty()) by.file = file_;
  includers_.emplace(std::move(file), std::move(by));
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  std::vector<Diagnostic> sorted = found_;
  const auto order = [this](const Diagnostic& m) {
    return std::tuple(m.file == file_, m.line, m.column);
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return order(a) < order(b); });
  return sorted;
}

void Diagnostics::throw_if_any() const {
  if (!found_.empty()) throw ProblemFileError(sorted());
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const std::string near = base::nearest(word, known);
  return near.empty() ? "" : "; did you mean " + in_quotes(near) + "?";
}

std::string alternatives(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 12;
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == kShown && names.size() > kShown + 1) {
      return text + ", ... (" + std::to_string(names.size()) + " in all)";
    }
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += in_quotes(names[i]);
  }
  return text;
}

std::string in_quotes(std::string_view word) {
  constexpr std::size_t kShown = 80;
  if (word.size() <= kShown) return "'" + std::string(word) + "'";
  return "'" + std::string(word.substr(0, kShown)) + "...'";
}

}  // namespace nightshift::problems
