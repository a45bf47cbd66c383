// Random expressions against what Python made of them; see data/make_python_expressions.py.
// NIGHTSHIFT_PYTHON_EXPRESSIONS names a file of other ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "search/parameter_space.h"
#include "tests/fakes/paths.h"

namespace nightshift::search {
namespace {

struct Line {
  std::string letters;
  std::string text;
};

std::vector<Line> lines() {
  const char* named = std::getenv("NIGHTSHIFT_PYTHON_EXPRESSIONS");
  std::ifstream file(named != nullptr
                         ? std::string(named)
                         : testing_paths::source("tests/search/data/python_expressions.txt"));
  std::vector<Line> all;
  for (Line line; file >> line.letters && std::getline(file >> std::ws, line.text);) {
    all.push_back(line);
  }
  return all;
}

Parameter parameter(const std::string& name, std::vector<Value> values) {
  Parameter made;
  made.name = name;
  made.values = std::move(values);
  return made;
}

std::vector<Parameter> parameters() {
  const auto whole = [](std::int64_t n) { return Value(n); };
  return {parameter("a", {whole(0), whole(1), whole(6), whole(8)}),
          parameter("b", {whole(-3), whole(4)}), parameter("c", {0.5, 2.0}),
          parameter("d", {false, true}), parameter("s", {std::string("x"), std::string()})};
}

struct Combination {
  std::vector<std::uint32_t> digits;
  Configuration configuration;
};

// The last parameter moves fastest.
std::vector<Combination> combinations() {
  const std::vector<Parameter> all = parameters();
  std::vector<Combination> found;
  std::vector<std::uint32_t> digits(all.size());
  for (std::size_t k = all.size(); k > 0;) {
    Combination& one = found.emplace_back(Combination{digits, {}});
    for (std::size_t i = 0; i < all.size(); ++i) {
      one.configuration.set(all[i].name, all[i].values[digits[i]]);
    }
    for (k = all.size(); k > 0 && ++digits[k - 1] == all[k - 1].values.size(); --k) {
      digits[k - 1] = 0;
    }
  }
  return found;
}

char letter_of(const Expression& expression, const Configuration& configuration) {
  const auto find = [&](std::string_view name) { return configuration.find(name); };
  try {
    const Value value = expression.evaluate(find);
    if (const auto* text = std::get_if<std::string>(&value)) return text->empty() ? 'f' : 'T';
    return as_number(value) != 0 ? 'T' : 'f';
  } catch (const ExpressionError& error) {
    return std::string(error.what()).ends_with("division by zero") ? 'Z' : 'E';
  }
}

TEST(ExpressionAgainstPython, TheInterpreterGivesWhatPythonGives) {
  const std::vector<Combination> all = combinations();
  std::size_t tried = 0;
  for (const auto& [letters, text] : lines()) {
    SCOPED_TRACE(text);
    ASSERT_EQ(letters.size(), all.size());
    std::string found;
    try {
      const Expression expression = Expression::parse(text);
      for (const Combination& one : all) found += letter_of(expression, one.configuration);
    } catch (const ExpressionError& error) {
      ADD_FAILURE() << error.what();
    }
    EXPECT_EQ(found, letters);
    ++tried;
  }
  EXPECT_GE(tried, 1000U);
}

// What cannot be evaluated is taken out by another constraint; alone it would be refused.
std::optional<Expression> without_errors(const std::string& letters,
                                         const std::vector<Combination>& all) {
  std::string list;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (letters[i] != 'E') continue;
    list += "[";
    for (const auto& [name, value] : all[i].configuration.entries()) {
      const bool* flag = std::get_if<bool>(&value);
      list += (flag == nullptr ? to_json(value) : *flag ? "True" : "False") + ", ";
    }
    list += "], ";
  }
  if (list.empty()) return std::nullopt;
  return Expression::parse("[a, b, c, d, s] not in [" + list + "]");
}

TEST(ExpressionAgainstPython, SpacesHaveWhatPythonAdmits) {
  const std::vector<Combination> all = combinations();
  for (const auto& [letters, text] : lines()) {
    SCOPED_TRACE(text);
    std::vector<Expression> constraints = {Expression::parse(text)};
    if (auto guard = without_errors(letters, all)) constraints.push_back(std::move(*guard));
    const std::ptrdiff_t valid = std::ranges::count(letters, 'T');
    std::optional<ParameterSpace> space;
    try {
      space.emplace(parameters(), constraints);
    } catch (const SpaceError& error) {
      EXPECT_EQ(valid, 0) << error.what();
      continue;
    }
    EXPECT_EQ(base::to_string(space->size()), std::to_string(valid));
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(space->index_of_digits(all[i].digits).has_value(), letters[i] == 'T')
          << all[i].configuration.to_json();
    }
  }
}

}  // namespace
}  // namespace nightshift::search
