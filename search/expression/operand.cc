#include "search/expression/operand.h"

#include <algorithm>

#include "base/overloaded.h"
#include "search/expression/expression_tokens.h"
#include "search/expression/scalar.h"

namespace nightshift::search {

namespace {

using List = std::shared_ptr<const OperandList>;

std::string_view word_of(SequenceKind kind) {
  switch (kind) {
    case SequenceKind::kTuple:
      return "a tuple";
    case SequenceKind::kSet:
      return "a set";
    case SequenceKind::kRange:
      return "a range";
    case SequenceKind::kGenerator:
      return "a generator";
    case SequenceKind::kList:
      break;
  }
  return "a list";
}

std::string_view kind_of(const Operand& operand) {
  using Words = std::string_view;
  return std::visit(base::Overloaded{
                        [](bool) -> Words { return "a number"; },
                        [](std::int64_t) -> Words { return "a number"; },
                        [](double) -> Words { return "a number"; },
                        [](std::string_view) -> Words { return "a text"; },
                        [](const List& list) { return word_of(list->kind); },
                    },
                    operand);
}

[[noreturn]] void fail_zero(std::size_t position) {
  throw DivisionByZero("character " + std::to_string(position + 1) + ": division by zero",
                       position);
}

Scalar scalar_of(const Number& n) {
  return std::visit(base::Overloaded{
                        [](std::int64_t whole) { return Scalar::integer(whole); },
                        [](double number) { return Scalar::real(number); },
                    },
                    n);
}

// `failure` says why there is no number.
Operand operand_of(Scalar result, std::size_t position, const char* failure) {
  if (result.is_integer()) return result.payload.whole;
  if (result.is_real()) return result.payload.number;
  if (result.kind == Scalar::Kind::kDivisionByZero) fail_zero(position);
  fail_at(position, failure);
}

bool is_number(const Operand& operand) { return operand.index() < 3; }

Operand joined(const OperandList& a, const OperandList& b, std::size_t position,
               std::size_t& elements) {
  const bool joins = a.kind == SequenceKind::kList || a.kind == SequenceKind::kTuple;
  if (a.kind != b.kind || !joins) {
    fail_at(position, "'+' joins a list with a list and a tuple with a tuple, and found " +
                          std::string(word_of(a.kind)) + " and " + std::string(word_of(b.kind)) +
                          "; list(...) makes a list of any");
  }
  const std::size_t count = a.items.size() + b.items.size();
  elements += count;
  if (count > kMaxListElements || elements > kMaxElementsTogether) fail_too_long(position);
  OperandList all = a;
  all.items.insert(all.items.end(), b.items.begin(), b.items.end());
  return std::make_shared<const OperandList>(std::move(all));
}

// Equality and membership with a count of the elements looked at: a list may hold the same long
// list many times over.
struct Comparison {
  std::size_t position;
  std::size_t& steps;

  bool equal(const Operand& a, const Operand& b) const {
    if (++steps > kMaxEvaluationSteps) fail_at(position, "takes too long to compare");
    const auto* whole_a = std::get_if<std::int64_t>(&a);
    const auto* whole_b = std::get_if<std::int64_t>(&b);
    if (whole_a && whole_b) return *whole_a == *whole_b;
    if (is_number(a) && is_number(b)) {
      return compared(Comparator::kEqual, scalar_of(number_of(a, position)),
                      scalar_of(number_of(b, position)))
                 .payload.whole != 0;
    }
    if (a.index() != b.index()) return false;
    if (const auto* text = std::get_if<std::string_view>(&a)) {
      return *text == std::get<std::string_view>(b);
    }
    return equal_lists(*std::get<List>(a), *std::get<List>(b));
  }

  // A generator has no items of its own that could be equal.
  bool equal_lists(const OperandList& a, const OperandList& b) const {
    if (a.kind != b.kind || a.kind == SequenceKind::kGenerator) return false;
    return std::ranges::equal(a.items, b.items,
                              [&](const Operand& x, const Operand& y) { return equal(x, y); });
  }

  bool contains(const Operand& container, const Operand& item) const {
    if (const auto* list = std::get_if<List>(&container)) {
      return std::ranges::any_of((*list)->items, [&](const Operand& x) { return equal(x, item); });
    }
    const auto* text = std::get_if<std::string_view>(&container);
    const auto* part = std::get_if<std::string_view>(&item);
    if (text && part) return text->find(*part) != std::string_view::npos;
    fail_at(position,
            "'in' needs a list or a tuple on its right, found " + std::string(kind_of(container)));
  }
};

}  // namespace

void fail_too_long(std::size_t position) {
  fail_at(position, "a list of more than " + std::to_string(kMaxListElements) + " elements");
}

Operand operand_of(const Value& value) {
  return std::visit(base::Overloaded{
                        [](bool flag) -> Operand { return flag; },
                        [](std::int64_t whole) -> Operand { return whole; },
                        [](double number) -> Operand { return number; },
                        [](const std::string& text) -> Operand { return std::string_view(text); },
                    },
                    value);
}

bool truth_of(const Operand& operand) {
  return std::visit(base::Overloaded{
                        [](bool flag) { return flag; },
                        [](std::int64_t whole) { return whole != 0; },
                        [](double number) { return number != 0; },
                        [](std::string_view text) { return !text.empty(); },
                        [](const List& list) {
                          return list->kind == SequenceKind::kGenerator || !list->items.empty();
                        },
                    },
                    operand);
}

Number number_of(const Operand& operand, std::size_t position) {
  if (const bool* flag = std::get_if<bool>(&operand)) return static_cast<std::int64_t>(*flag);
  if (const auto* whole = std::get_if<std::int64_t>(&operand)) return *whole;
  if (const auto* number = std::get_if<double>(&operand)) return *number;
  fail_at(position, "expected a number, found " + std::string(kind_of(operand)));
}

namespace {

// Why the operator gives no number.
std::string reason(ArithmeticOperator op, const Operand& a, const Operand& b) {
  if (op == ArithmeticOperator::kPower) {
    return "a negative number to a fractional power is no real number";
  }
  for (const Operand* side : {&a, &b}) {
    const auto* number = std::get_if<double>(side);
    if (number == nullptr) continue;
    return "a bit operator needs whole numbers of up to 64 bits, found " + to_json(*number);
  }
  return "a shift by less than 0 bits";
}

bool keeps_booleans(ArithmeticOperator op) {
  return op == ArithmeticOperator::kBitAnd || op == ArithmeticOperator::kBitXor ||
         op == ArithmeticOperator::kBitOr;
}

}  // namespace

Operand arithmetic(ArithmeticOperator op, const Operand& a, const Operand& b, std::size_t position,
                   std::size_t& elements) {
  const List* first = std::get_if<List>(&a);
  const List* second = std::get_if<List>(&b);
  if (op == ArithmeticOperator::kAdd && first && second) {
    return joined(**first, **second, position, elements);
  }
  if (op == ArithmeticOperator::kMultiply && (first || second)) {
    fail_at(position,
            "a list cannot be repeated by '*'; a comprehension can: [x for i in range(n)]");
  }
  const Scalar x = scalar_of(number_of(a, position));
  const Scalar y = scalar_of(number_of(b, position));
  const Scalar result = arithmetic(op, x, y);
  if (keeps_booleans(op) && std::holds_alternative<bool>(a) && std::holds_alternative<bool>(b)) {
    return result.payload.whole != 0;
  }
  if (result.kind == Scalar::Kind::kFailure) fail_at(position, reason(op, a, b));
  return operand_of(result, position, "no number");
}

Operand negated(const Operand& a, std::size_t position) {
  return operand_of(negated(scalar_of(number_of(a, position))), position, "no number");
}

Operand inverted(const Operand& a, std::size_t position) {
  std::size_t elements = 0;
  return arithmetic(ArithmeticOperator::kBitXor, a, std::int64_t{-1}, position, elements);
}

bool compares(Comparator comparator, const Operand& a, const Operand& b, std::size_t position,
              std::size_t& steps) {
  const Comparison comparison{position, steps};
  switch (comparator) {
    case Comparator::kEqual:
      return comparison.equal(a, b);
    case Comparator::kNotEqual:
      return !comparison.equal(a, b);
    case Comparator::kIn:
      return comparison.contains(b, a);
    case Comparator::kNotIn:
      return !comparison.contains(b, a);
    default:
      break;
  }
  ++steps;
  const auto* text_a = std::get_if<std::string_view>(&a);
  const auto* text_b = std::get_if<std::string_view>(&b);
  if (is_number(a) != is_number(b)) {
    fail_at(position,
            "cannot order " + std::string(kind_of(a)) + " and " + std::string(kind_of(b)));
  }
  if (text_a && text_b) {
    const int order = text_a->compare(*text_b);
    return compared(comparator, Scalar::integer(order), Scalar::integer(0)).payload.whole != 0;
  }
  return compared(comparator, scalar_of(number_of(a, position)), scalar_of(number_of(b, position)))
             .payload.whole != 0;
}

Operand apply(Function function, const Operand& a, std::size_t position) {
  const bool logarithm =
      function == Function::kLog2 || function == Function::kLog || function == Function::kLog10;
  return operand_of(applied(function, scalar_of(number_of(a, position))), position,
                    logarithm                     ? "a logarithm needs a number above 0"
                    : function == Function::kSqrt ? "sqrt() needs a number of at least 0"
                                                  : "the number does not fit 64 bits");
}

}  // namespace nightshift::search
