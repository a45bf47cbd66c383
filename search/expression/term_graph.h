#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/expression/term.h"

namespace nightshift::search {

// The values that each parameter may still take, as ascending digits.
using Domains = std::vector<std::vector<std::uint32_t>>;

class TermGraph {
 public:
  // A parameter with one value is a constant. The table outlives this; the other arguments are used
  // as long as terms are added.
  TermGraph(const std::vector<Parameter>& parameters, const ScalarTable& table,
            const Domains& domains);

  // The parts of a constraint: it holds where each of them does. `and`s are split, and so are
  // chains and `not (a or b)`. A part that cannot be evaluated where another one is false does not
  // matter. Throws SpaceError for an unknown name.
  std::vector<TermId> parts_of(const Expression& constraint);
  // The same for a condition: the parameter has its value `held_at`, or the condition holds.
  std::vector<TermId> parts_of_condition(std::size_t parameter, std::uint32_t held_at,
                                         const Expression& condition);

  const Term& operator[](TermId id) const { return terms_[id]; }
  const ScalarTable& table() const { return *table_; }

  // --- For the compiler ---
  const std::vector<Parameter>& parameters() const { return *parameters_; }
  TermId constant(Scalar value);
  TermId parameter(std::size_t position);
  TermId add(Term term);  // folds constants, shares equal terms
  TermId arithmetic_of(ArithmeticOperator op, TermId a, TermId b);
  TermId negation_of(TermId a);
  TermId inversion_of(TermId a);  // ~a
  TermId complement_of(TermId a) { return add({.kind = Term::Kind::kNot, .operands = {a}}); }

 private:
  TermId folded(Term::Kind kind, TermId a, TermId b);
  TermId shared(Term term);
  void split(TermId term, std::vector<TermId>& parts);

  const std::vector<Parameter>* parameters_;
  const ScalarTable* table_;
  const Domains* domains_;
  std::vector<Term> terms_;
  std::vector<TermId> places_;  // open addressing by hash: id + 1; 0 = free
};

// The term of an expression's node. `truth`: only its truth matters, so it may be a list.
TermId compile_term(const Expression& expression, TermGraph& graph);

}  // namespace nightshift::search
