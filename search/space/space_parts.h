#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "search/expression/term_graph.h"

namespace nightshift::search {

// One of the conditions that a configuration has to meet: a part of a constraint, or of the
// condition under which a parameter is free.
struct SpacePart {
  TermId term = 0;
  std::vector<std::uint32_t> parameters;  // ascending
  std::optional<std::size_t> constraint;  // none: of a condition
  const Expression* expression = nullptr;
  double most_states = 0;  // see CheckShape
};

// Constraints and conditions of a space, split into parts; each part once.
class SpaceParts {
 public:
  // Of the arguments, what is used after construction are the trees of the expressions, which
  // copies and moves of them share. Throws SpaceError for unknown names, and for a condition on the
  // parameter itself.
  SpaceParts(const std::vector<Parameter>& parameters, const std::vector<Expression>& constraints);
  SpaceParts(const SpaceParts&) = delete;
  SpaceParts& operator=(const SpaceParts&) = delete;

  const std::vector<SpacePart>& parts() const { return parts_; }
  const TermGraph& graph() const { return graph_; }
  const Domains& domains() const { return domains_; }  // all values

 private:
  void add(const std::vector<TermId>& terms, std::optional<std::size_t> constraint,
           const Expression& expression);
  std::vector<std::uint32_t> parameters_of(TermId root) const;
  double most_states_of(TermId root) const;

  Domains domains_;
  ScalarTable table_;
  TermGraph graph_;
  std::vector<SpacePart> parts_;
};

}  // namespace nightshift::search
