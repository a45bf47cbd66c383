#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/bounds.h"
#include "search/scalar_table.h"

namespace nightshift::search {

using TermId = std::uint32_t;

// A node of the constraints' common graph: equal sub-expressions are one term.
//
// Sums and products of integers that cannot leave 53 bits have any number of operands, and nested
// ones are flattened into them: integer addition and multiplication may be regrouped, so whatever
// part of the operands is set folds into one number. With doubles, or where overflow is possible,
// the order is part of the meaning, and the operator stays binary.
struct Term {
  enum class Kind : std::uint8_t {
    kConstant,
    kParameter,
    kNot,
    kNegate,
    kNumber,  // unary plus
    kArithmetic,
    kSum,
    kProduct,
    kCompare,
    kAnd,
    kOr,
    kConditional,  // condition, then, otherwise
    kOneOf,        // the first equals one of the others
    kMinimum,
    kMaximum,
    kApply,
    kOpaque,  // left to the interpreter; operands: the parameters
  };
  Kind kind = Kind::kConstant;
  std::uint8_t op = 0;          // ArithmeticOperator, Comparator or Function; kOpaque: 1 = truth
  std::uint32_t parameter = 0;  // kParameter: position
  Scalar constant = {};         // kConstant
  std::vector<TermId> operands = {};
  const Expression::Node* node = nullptr;  // kOpaque
  std::vector<std::size_t> slots = {};     // kOpaque: the name slot of each operand
  Bounds bounds = {};                      // over all values of its parameters
  std::uint32_t depth = 0;                 // the longest way down

  bool is_constant() const { return kind == Kind::kConstant; }
  bool is_folded() const { return kind == Kind::kSum || kind == Kind::kProduct; }
};

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

// By the interpreter; `steps` grows by what it took.
Scalar evaluate_opaque(const Term& term, std::span<const Scalar> operands, const ScalarTable& table,
                       std::size_t& steps);

// The value of a term; operand(i) gives its operands and is called for those only, and in that
// order, that Python would evaluate. Not for kParameter.
template <class Operand>
Scalar evaluate_term(const Term& term, const Operand& operand, const ScalarTable& table,
                     std::size_t& steps);

}  // namespace nightshift::search

#include "search/term_evaluation.h"  // IWYU pragma: export
