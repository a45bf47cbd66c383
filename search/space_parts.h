#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "search/term.h"

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
  // Both outlive this. Throws SpaceError for unknown names, and for a condition on the parameter
  // itself.
  SpaceParts(const std::vector<Parameter>& parameters, const std::vector<Expression>& constraints);
  SpaceParts(const SpaceParts&) = delete;
  SpaceParts& operator=(const SpaceParts&) = delete;

  const std::vector<SpacePart>& parts() const { return parts_; }
  const TermGraph& graph() const { return graph_; }
  const Domains& domains() const { return domains_; }  // all values
  const std::shared_ptr<const ScalarTable>& table() const { return table_; }
  const std::vector<Parameter>& parameters() const { return *parameters_; }
  const std::vector<Expression>& constraints() const { return *constraints_; }

 private:
  void add(const std::vector<TermId>& terms, std::optional<std::size_t> constraint,
           const Expression& expression);
  std::vector<std::uint32_t> parameters_of(TermId root) const;
  double most_states_of(TermId root) const;

  const std::vector<Parameter>* parameters_;
  const std::vector<Expression>* constraints_;
  Domains domains_;
  std::shared_ptr<const ScalarTable> table_;
  TermGraph graph_;
  std::vector<SpacePart> parts_;
};

}  // namespace nightshift::search
