#include "kernels/mistakes.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace nightshift::kernels {
namespace {

std::string joined(const std::vector<Mistake>& mistakes) {
  std::string text;
  for (const Mistake& mistake : mistakes) {
    if (!text.empty()) text += '\n';
    text += to_string(mistake);
  }
  return text;
}

}  // namespace

std::string to_string(const Mistake& mistake) {
  std::string text = mistake.file;
  if (mistake.line > 0) text += ":" + std::to_string(mistake.line);
  if (mistake.line > 0 && mistake.column > 0) text += ":" + std::to_string(mistake.column);
  return text + ": " + mistake.message;
}

ProblemFileError::ProblemFileError(std::vector<Mistake> mistakes)
    : std::runtime_error(joined(mistakes)), mistakes_(std::move(mistakes)) {}

Place PlacedText::at(std::size_t position) const {
  if (!exact) return place;
  return {place.file, place.line, place.column + static_cast<int>(std::min(position, text.size()))};
}

void Mistakes::add(const Place& place, std::string message) {
  found_.push_back(
      {place.file.empty() ? file_ : place.file, place.line, place.column, std::move(message)});
}

void Mistakes::throw_if_any() const {
  if (found_.empty()) return;
  std::vector<Mistake> sorted = found_;
  const auto order = [this](const Mistake& m) {
    return std::tuple(m.file == file_, m.line, m.column);
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Mistake& a, const Mistake& b) { return order(a) < order(b); });
  throw ProblemFileError(std::move(sorted));
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const std::string near = nearest(word, known);
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

}  // namespace nightshift::kernels
