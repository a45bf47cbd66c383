#include "search/space/space_construction.h"

#include <optional>
#include <string>

#include "search/configuration.h"
#include "search/space/space_builder.h"

namespace nightshift::search {

namespace {

// For saying why a space is empty.
constexpr Effort kExplanationEffort{.transitions = std::size_t{1} << 23,
                                    .steps = std::size_t{1} << 26,
                                    .bytes = std::size_t{64} << 20};

double product_of(const std::vector<std::unique_ptr<SpaceGroup>>& groups) {
  double product = 1;
  for (const auto& group : groups) product *= static_cast<double>(group->size());
  return product;
}

double combinations(const std::vector<Parameter>& parameters) {
  double count = 1;
  for (const Parameter& parameter : parameters) {
    count *= static_cast<double>(parameter.values.size());
  }
  return count;
}

// Some configuration of the groups, as far as `expression` uses it.
Configuration example(const std::vector<std::unique_ptr<SpaceGroup>>& groups,
                      const std::vector<Parameter>& parameters, const Expression& expression) {
  std::vector<std::uint32_t> row(parameters.size());
  for (const auto& group : groups) group->read(0, row);
  Configuration configuration;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!expression.names().contains(parameters[i].name)) continue;
    configuration.set(parameters[i].name, parameters[i].values[row[i]]);
  }
  return configuration;
}

[[noreturn]] void fail_evaluation(const Expression& expression, const Configuration& at) {
  std::string message =
      "the expression '" + expression.text() + "' cannot be evaluated for " + at.to_json();
  try {
    expression.holds([&](std::string_view name) { return at.find(name); });
  } catch (const ExpressionError& error) {
    message += std::string(": ") + error.what();
  }
  throw SpaceError(message);
}

// A part that cannot be evaluated is an error where nothing else excludes the combination.
void look_for_failures(const std::shared_ptr<const SpaceParts>& parts,
                       const std::vector<Parameter>& parameters,
                       const std::vector<std::size_t>& failed, Effort& effort) {
  for (const std::size_t wanted : failed) {
    const auto choice = [&](std::size_t i) {
      return std::optional(i == wanted ? Failing::kRequired : Failing::kAdmitted);
    };
    SpaceBuilder builder(parts, choice, effort, /*implicit_allowed=*/false);
    if (builder.run() != SpaceBuilder::Result::kBuilt) continue;
    const Expression& expression = *parts->parts()[wanted].expression;
    fail_evaluation(expression, example(builder.groups(), parameters, expression));
  }
}

[[noreturn]] void fail_empty(const std::shared_ptr<const SpaceParts>& parts,
                             const std::vector<Parameter>& parameters,
                             const std::vector<Expression>& constraints) {
  const Expression* strictest = nullptr;
  double least_share = 2;
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    const auto choice = [&](std::size_t i) {
      return parts->parts()[i].constraint == c ? std::optional(Failing::kAdmitted) : std::nullopt;
    };
    Effort effort = kExplanationEffort;
    SpaceBuilder builder(parts, choice, effort, /*implicit_allowed=*/false);
    const SpaceBuilder::Result result = builder.run();
    const Expression& constraint = constraints[c];
    if (result == SpaceBuilder::Result::kEmpty) {
      throw SpaceError("no configuration is left: the constraint '" + constraint.text() +
                       "' holds for no combination of the values");
    }
    if (result == SpaceBuilder::Result::kTooLarge) continue;
    const double share = product_of(builder.groups()) / combinations(parameters);
    if (share < least_share) {
      least_share = share;
      strictest = &constraint;
    }
  }
  std::string message = "no configuration satisfies all the constraints together";
  if (strictest != nullptr) {
    message += "; the one that excluded most is '" + strictest->text() + "'";
  }
  throw SpaceError(message);
}

// An uncounted group without anything valid may have its reason in what cannot be evaluated.
SpaceBuilder::Result run(SpaceBuilder& builder, const SpaceParts& parts) {
  try {
    return builder.run();
  } catch (const SpaceError& error) {
    if (builder.failed().empty()) throw;
    const SpacePart& part = parts.parts()[builder.failed().front()];
    throw SpaceError(error.what() + std::string("; the expression '") + part.expression->text() +
                     "' cannot be evaluated for some of them, or takes too long");
  }
}

}  // namespace

std::vector<std::unique_ptr<SpaceGroup>> construct_space(const std::vector<Parameter>& parameters,
                                                         const std::vector<Expression>& constraints,
                                                         const SpaceLimits& limits) {
  const auto parts = std::make_shared<const SpaceParts>(parameters, constraints);
  Effort effort{limits.transitions, limits.interpreter_steps, limits.bytes};
  SpaceBuilder builder(
      parts, [](std::size_t) { return std::optional(Failing::kExcluded); }, effort,
      /*implicit_allowed=*/true);
  const SpaceBuilder::Result result = run(builder, *parts);
  look_for_failures(parts, parameters, builder.failed(), effort);
  if (result == SpaceBuilder::Result::kEmpty) fail_empty(parts, parameters, constraints);
  return builder.take_groups();
}

}  // namespace nightshift::search
