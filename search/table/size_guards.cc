#include "search/table/size_guards.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "search/table/expression_pieces.h"
#include "search/value.h"

namespace nightshift::search {
namespace {

using Pieces = std::vector<ExpressionPiece>;

// A constraint over sizes by their names.
struct WrittenConstraint {
  std::string text;
  bool is_known = true;                 // its names were found
  std::vector<std::string> equal = {};  // what has to hold where it could be one name or another
};

// The sizes that have the number of a piece in every shape.
std::vector<std::string> names_of(const std::vector<ConstrainedShape>& shapes, std::size_t at,
                                  const std::vector<Pieces>& of_studies) {
  std::vector<std::string> names;
  const Sizes& sizes = shapes.front().sizes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    bool is_same = true;
    for (std::size_t s = 0; s < of_studies.size(); ++s) {
      const std::int64_t size = shapes[s].sizes[i].second;
      is_same = is_same && std::to_string(size) == of_studies[s][at].text;
    }
    if (is_same) names.push_back(sizes[i].first);
  }
  return names;
}

// Of the texts that shapes have of one constraint; nullopt where it depends on no size.
std::optional<WrittenConstraint> written(const std::vector<ConstrainedShape>& shapes,
                                         const std::vector<std::string>& texts) {
  if (std::ranges::all_of(texts, [&](const auto& text) { return text == texts.front(); })) {
    return std::nullopt;
  }
  std::vector<Pieces> of_studies;
  for (const std::string& text : texts) of_studies.push_back(expression_pieces(text));
  const Pieces& first = of_studies.front();
  const bool fit = std::ranges::all_of(
      of_studies, [&](const Pieces& other) { return other.size() == first.size(); });
  if (!fit) return WrittenConstraint{texts.front(), false};
  WrittenConstraint constraint;
  for (std::size_t at = 0; at < first.size(); ++at) {
    const auto differs = [&](const Pieces& other) { return other[at].text != first[at].text; };
    std::string piece = first[at].text;
    if (std::ranges::any_of(of_studies, differs)) {
      const std::vector<std::string> names = first[at].kind == ExpressionPiece::Kind::kWhole
                                                 ? names_of(shapes, at, of_studies)
                                                 : std::vector<std::string>{};
      if (names.empty()) return WrittenConstraint{texts.front(), false};
      piece = names.front();
      for (std::size_t other = 1; other < names.size(); ++other) {
        constraint.equal.push_back(names.front() + " == " + names[other]);
      }
    }
    constraint.text += piece;
  }
  return constraint;
}

std::vector<WrittenConstraint> written_constraints(const std::vector<ConstrainedShape>& shapes) {
  const std::size_t count = shapes.front().constraints.size();
  const bool fit = std::ranges::all_of(
      shapes, [&](const ConstrainedShape& shape) { return shape.constraints.size() == count; });
  if (!fit) return {{"of a problem file that others have not", false}};
  std::vector<WrittenConstraint> all;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::string> texts;
    for (const ConstrainedShape& shape : shapes) texts.push_back(shape.constraints[i]);
    if (auto one = written(shapes, texts)) all.push_back(std::move(*one));
  }
  return all;
}

std::string literal_of(const Value& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "True" : "False";
  std::string text = to_json(value);
  return text.starts_with('-') ? "(" + text + ")" : text;
}

// With the configuration's values in the place of its parameters.
std::string with_values(const std::string& text, const Configuration& values) {
  return with_other_names(text, [&](const std::string& name) -> std::optional<std::string> {
    const Value* value = values.find(name);
    if (value == nullptr) return std::nullopt;
    return literal_of(*value);
  });
}

void add(SizeCondition condition, std::vector<SizeCondition>& conditions) {
  if (std::ranges::find(conditions, condition) == conditions.end()) {
    conditions.push_back(std::move(condition));
  }
}

std::vector<SizeRange> ranges_of(const std::vector<ConstrainedShape>& shapes) {
  std::vector<SizeRange> ranges;
  for (const auto& [name, size] : shapes.front().sizes) ranges.push_back({size, size});
  for (const ConstrainedShape& shape : shapes) {
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const std::int64_t size = shape.sizes[i].second;
      ranges[i] = {std::min(ranges[i].least, size), std::max(ranges[i].most, size)};
    }
  }
  return ranges;
}

}  // namespace

std::vector<CandidateGuard> guards_of(const std::vector<ConstrainedShape>& shapes,
                                      const std::vector<Configuration>& candidates) {
  std::vector<CandidateGuard> guards(candidates.size());
  if (shapes.empty()) return guards;
  const std::vector<WrittenConstraint> constraints = written_constraints(shapes);
  const std::vector<SizeRange> ranges = ranges_of(shapes);
  std::vector<std::string> names;
  for (const auto& [name, size] : shapes.front().sizes) names.push_back(name);
  for (std::size_t c = 1; c < candidates.size(); ++c) {
    for (const auto& [name, value] : candidates[c].entries()) {
      const auto* whole = std::get_if<std::int64_t>(&value);
      if (whole != nullptr && *whole > 1) guards[c].values.push_back(*whole);
    }
    for (const WrittenConstraint& one : constraints) {
      std::string text = one.is_known ? with_values(one.text, candidates[c]) : "";
      if (!text.empty() && !is_askable(text, names, ranges)) text.clear();
      add({one.text, std::move(text)}, guards[c].conditions);
      for (const std::string& equal : one.equal) add({one.text, equal}, guards[c].conditions);
    }
  }
  return guards;
}

}  // namespace nightshift::search
