#include "evaluator/host/build/value_clash.h"

#include <cstring>
#include <string_view>
#include <type_traits>

#include "base/text.h"
#include "evaluator/process/compiler_run.h"
#include "search/element_type.h"
#include "search/value.h"

namespace nightshift::evaluator {
namespace {

std::string value_text(const search::Argument& argument, const ArgumentShape& shape) {
  return search::with_cpp_type(argument.type, [&](auto tag) {
    typename decltype(tag)::Type value;
    std::memcpy(&value, shape.scalar.data(), sizeof value);
    const bool is_whole = std::is_integral_v<decltype(value)>;
    return is_whole ? std::to_string(value) : search::to_text(static_cast<double>(value));
  });
}

// In C the line that the compiler shows may have other mistakes.
bool is_of_value(std::string_view error) {
  const std::string_view words = base::first_line(error);
  const auto has = [](std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
  };
  if (has(words, kHeld)) return true;
  return has(error, kAskedMark) && (has(words, "conversion") || has(words, "overflow"));
}

}  // namespace

std::string value_clash(const std::string& function, const std::vector<search::Argument>& arguments,
                        const std::vector<ArgumentShape>& shapes, const std::string& complaint) {
  if (!is_of_value(first_error(complaint)) || shapes.size() != arguments.size()) return "";
  std::string values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].scalar) continue;
    values += (values.empty() ? "" : ", ") + arguments[i].name + " = " +
              value_text(arguments[i], shapes[i]) + " (" +
              std::string(search::name_of(arguments[i].type)) + ")";
  }
  if (values.empty()) return "";
  return "of the values " + values + " one does not fit into the type in which " + function +
         " takes it. Give it a wider one, or another value.\n";
}

}  // namespace nightshift::evaluator
