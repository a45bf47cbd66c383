// Random small spaces with random constraints, against asking each constraint about each
// combination.
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "search/parameter_space.h"

namespace nightshift::search {
namespace {

// Texts of expressions over parameters a, b, c, ...; mostly of numbers, now and then of what makes
// an evaluation fail.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : rng_(seed) {}

  std::vector<Parameter> parameters() {
    std::vector<Parameter> made;
    const std::size_t count = 1 + rng_.below(5);
    for (std::size_t k = 0; k < count; ++k) {
      Parameter& p = made.emplace_back();
      p.name = std::string(1, static_cast<char>('a' + k));
      p.values = values();
      if (rng_.below(3) == 0) p.default_value = p.values[rng_.below(p.values.size())];
    }
    names_ = count;
    if (rng_.below(4) == 0 && count > 1) {
      const std::size_t k = rng_.below(count);
      Expression condition = Expression::parse(boolean(2));
      if (!condition.names().contains(made[k].name)) made[k].active_when = std::move(condition);
    }
    return made;
  }

  std::vector<Expression> constraints() {
    std::vector<Expression> made;
    for (std::size_t n = rng_.below(4) + 1; n > 0; --n) {
      made.push_back(Expression::parse(boolean(3)));
    }
    return made;
  }

 private:
  std::vector<Value> values() {
    std::vector<Value> pool;
    switch (rng_.below(10)) {
      case 0:
        pool = {true, false};
        break;
      case 1:
        pool = {std::string("x"), std::string("y"), std::string(""), std::string("xy")};
        break;
      case 2:
        pool = {0.5, 1.0, -2.25, 1e300, 0.0};
        break;
      case 3:
        pool = {std::int64_t{1}, 2.5, std::int64_t{-3}, true, std::int64_t{1} << 62};
        pool[3] = std::int64_t{0};
        break;
      case 4:
        for (const int v : {1, 2, 4, 8, 16, 32}) pool.emplace_back(std::int64_t{v});
        break;
      default: {
        const auto low = static_cast<std::int64_t>(rng_.below(5)) - 2;
        for (std::int64_t v = 0; v < 6; ++v) pool.emplace_back(low + v);
      }
    }
    rng_.shuffle(pool);
    pool.resize(1 + rng_.below(pool.size()));
    return pool;
  }

  std::string name() { return std::string(1, static_cast<char>('a' + rng_.below(names_))); }

  std::string pick(std::initializer_list<const char*> choices) {
    return *(choices.begin() + rng_.below(choices.size()));
  }

  std::string number(int depth) {
    if (depth == 0 || rng_.below(4) == 0) {
      return rng_.below(3) == 0 ? pick({"0", "1", "2", "3", "7", "-1", "0.5", "4.0", "100"})
                                : name();
    }
    const auto sub = [&] { return number(depth - 1); };
    switch (rng_.below(16)) {
      case 0:
        return pick({"min", "max"}) + "(" + sub() + ", " + sub() + ")";
      case 1:
        return pick({"abs", "int", "float", "ceil", "floor", "round", "sqrt", "bool"}) + "(" +
               sub() + ")";
      case 2:
        return "(" + sub() + " if " + boolean(depth - 1) + " else " + sub() + ")";
      case 3:
        return pick({"-", "~"}) + sub();
      case 4:
        return "(" + sub() + ") ** " + pick({"2", "3", "0", "-1"});
      case 5:
        return "(" + sub() + " or " + sub() + ")";
      case 6:
        return pick({"max", "sum"}) + "([" + sub() + " for i in range(3)])";
      case 7:
        return pick({"sum", "len", "any", "prod"}) + "([" + sub() + ", " + sub() + "])";
      case 8:
      case 9:
        return "(" + sub() + pick({" & ", " | ", " ^ ", " << ", " >> ", " & "}) + sub() + ")";
      case 10:
        return "(" + sub() + pick({" << ", " >> ", " & "}) + pick({"1", "3", "0", "60"}) + ")";
      default:
        return "(" + sub() + pick({" + ", " - ", " * ", " * ", " / ", " // ", " % "}) + sub() + ")";
    }
  }

  std::string boolean(int depth) {
    const auto comparison = [&] {
      return number(depth) + pick({" < ", " <= ", " > ", " >= ", " == ", " != "}) + number(depth);
    };
    if (depth == 0) return comparison();
    const auto sub = [&] { return boolean(depth - 1); };
    switch (rng_.below(12)) {
      case 0:
        return "(" + sub() + " and " + sub() + ")";
      case 1:
        return "(" + sub() + " or " + sub() + ")";
      case 2:
        return "not (" + sub() + ")";
      case 3:
        return number(1) + " <= " + number(1) + " < " + number(1);
      case 4:
        return number(1) + pick({" in ", " not in "}) + "[" + number(1) + ", " + number(1) + ", 2]";
      case 5:
        return name() + pick({" in ", " not in "}) + "[1, 'x', 2.5, True]";
      case 6:
        return number(1) + pick({" in [2 ** i for i in range(4)]", " in []", " not in ()"});
      case 7:
        return name() + pick({" == ", " != "}) + "'x'";
      case 8:
        return number(2);
      default:
        return comparison();
    }
  }

  base::Rng rng_;
  std::size_t names_ = 1;
};

// What brute force finds of one combination.
enum class Verdict { kValid, kExcluded, kFails };

struct Oracle {
  const std::vector<Parameter>& parameters;
  const std::vector<Expression>& constraints;

  Verdict operator()(std::span<const std::uint32_t> row) const {
    Configuration c;
    for (std::size_t k = 0; k < row.size(); ++k) {
      c.set(parameters[k].name, parameters[k].values[row[k]]);
    }
    bool fails = false;
    const auto ask = [&](const Expression& e) {
      try {
        return e.holds([&](std::string_view name) { return c.find(name); });
      } catch (const ExpressionError&) {
        fails = true;
        return true;
      }
    };
    bool valid = true;
    for (const Expression& constraint : constraints) valid = ask(constraint) && valid;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const Parameter& p = parameters[k];
      const bool held = same_value(p.values[row[k]], p.default_or_first());
      if (p.active_when && !held) valid = ask(*p.active_when) && valid;
    }
    return !valid ? Verdict::kExcluded : fails ? Verdict::kFails : Verdict::kValid;
  }
};

template <class Evaluation>
void for_each_row(const std::vector<Parameter>& parameters, const Evaluation& evaluation) {
  std::vector<std::uint32_t> row(parameters.size());
  for (;;) {
    evaluation(row);
    std::size_t k = 0;
    while (k < row.size() && ++row[k] == parameters[k].values.size()) row[k++] = 0;
    if (k == row.size()) return;
  }
}

std::string text_of(const std::vector<Parameter>& parameters,
                    const std::vector<Expression>& constraints) {
  std::string text;
  for (const Parameter& p : parameters) {
    text += p.name + ":";
    for (const Value& value : p.values) text += " " + to_json(value);
    if (p.active_when) text += " when " + p.active_when->text();
    text += "\n";
  }
  for (const Expression& constraint : constraints) text += constraint.text() + "\n";
  return text;
}

// A seed can be run again alone to look into it.
void compare(std::uint64_t seed, const SpaceLimits& limits, int& built, int& uncounted) {
  Generator generator(seed);
  const std::vector<Parameter> parameters = generator.parameters();
  const std::vector<Expression> constraints = generator.constraints();
  SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text_of(parameters, constraints));
  const Oracle oracle{parameters, constraints};
  std::size_t valid = 0;
  std::size_t failing = 0;
  for_each_row(parameters, [&](const std::vector<std::uint32_t>& row) {
    const Verdict verdict = oracle(row);
    valid += verdict == Verdict::kValid ? 1 : 0;
    failing += verdict == Verdict::kFails ? 1 : 0;
  });
  std::optional<ParameterSpace> space;
  try {
    space.emplace(parameters, constraints, limits);
  } catch (const SpaceError& error) {
    const bool refused =
        std::string(error.what()).find("cannot be evaluated for {") != std::string::npos;
    // A part that is false may hide that another one fails, never the other way round.
    ASSERT_TRUE(refused ? failing > 0 : valid == 0) << error.what();
    return;
  }
  if (space->counted()) {
    ASSERT_EQ(space->size(), valid);
  }
  ++built;
  uncounted += space->counted() ? 0 : 1;
  std::set<base::Wide> seen;
  for_each_row(parameters, [&](const std::vector<std::uint32_t>& row) {
    const auto index = space->index_of_digits(row);
    ASSERT_EQ(index.has_value(), oracle(row) == Verdict::kValid);
    if (!index) return;
    ASSERT_LT(index->value, space->size());
    ASSERT_TRUE(seen.insert(index->value).second);
    ASSERT_EQ(space->digits(*index), row);
  });
}

TEST(SpaceProperty, DiagramsHoldWhatTheInterpreterAdmits) {
  int built = 0;
  int uncounted = 0;
  for (std::uint64_t seed = 0; seed < 2400 && !HasFailure(); ++seed) {
    compare(seed, {}, built, uncounted);
  }
  EXPECT_GT(built, 400);  // the others are empty, or cannot be evaluated
  EXPECT_EQ(uncounted, 0);
}

// With no more than some transitions, checks stay unreduced or groups uncounted.
TEST(SpaceProperty, SoDoSpacesThatWereTooDearToCount) {
  int built = 0;
  int uncounted = 0;
  std::uint64_t seed = 0;
  for (const std::size_t transitions : {0, 10, 40, 100, 300}) {
    for (int n = 0; n < 150 && !HasFailure(); ++n) {
      compare(++seed, {.transitions = transitions}, built, uncounted);
    }
  }
  EXPECT_GT(uncounted, 50);
}

TEST(SpaceProperty, NeighboursAreThoseThatBruteForceFinds) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    for (const std::size_t transitions : {std::size_t{1} << 20, std::size_t{0}}) {
      Generator generator(seed);
      const std::vector<Parameter> parameters = generator.parameters();
      const std::vector<Expression> constraints = generator.constraints();
      std::optional<ParameterSpace> space;
      try {
        space.emplace(parameters, constraints, SpaceLimits{.transitions = transitions});
      } catch (const SpaceError&) {
        continue;
      }
      base::Rng rng(seed);
      const ConfigurationIndex i = space->sample(rng);
      ASSERT_TRUE(space->contains(i));
      const std::vector<std::uint32_t> here = space->digits(i);
      std::set<ConfigurationIndex> expected;
      for_each_row(parameters, [&](const std::vector<std::uint32_t>& row) {
        std::size_t changes = 0;
        for (std::size_t k = 0; k < row.size(); ++k) changes += row[k] != here[k] ? 1 : 0;
        const auto index = space->index_of_digits(row);
        if (index && changes == 1) expected.insert(*index);
      });
      const auto found = space->neighbours(i, ParameterSpace::Neighbourhood::kOneParameter);
      ASSERT_EQ(std::set<ConfigurationIndex>(found.begin(), found.end()), expected);
    }
  }
}

}  // namespace
}  // namespace nightshift::search
