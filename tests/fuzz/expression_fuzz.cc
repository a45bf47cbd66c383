// Constraint expressions and value lists from problem files: any bytes give a value or an
// ExpressionError, in bounded time and stack.

#include <cstdint>
#include <string_view>

#include "search/expression.h"

namespace {

using nightshift::search::Expression;
using nightshift::search::ExpressionError;
using nightshift::search::to_json;
using nightshift::search::to_text;
using nightshift::search::Value;

const Value* find(std::string_view name) {
  static const Value kNumber = std::int64_t{12};
  static const Value kText = std::string("text");
  static const Value kHalf = 0.5;
  static const Value kFlag = true;
  if (name == "nobody") return nullptr;
  switch (name.empty() ? 'x' : name.front()) {
    case 's':
      return &kText;
    case 'h':
      return &kHalf;
    case 'f':
      return &kFlag;
    default:
      return &kNumber;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Expression expression = Expression::parse(text);
    (void)expression.holds(find);
    (void)to_json(expression.evaluate(find));
  } catch (const ExpressionError& error) {
    if (error.position() > size) __builtin_trap();
  }
  try {
    for (const Value& value : Expression::parse_list(text)) (void)to_text(value);
  } catch (const ExpressionError& error) {
    if (error.position() > size) __builtin_trap();
  }
  return 0;
}
