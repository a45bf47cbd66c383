#include "evaluator/host/plain_answer.h"

#include <algorithm>
#include <span>
#include <vector>

#include "search/element_type.h"

namespace nightshift::evaluator {
namespace {

using Access = search::Argument::Access;

bool are_all_the_same(std::span<const std::byte> bytes, std::size_t element) {
  return bytes.size() > element &&
         std::equal(bytes.begin(), bytes.end() - static_cast<std::ptrdiff_t>(element),
                    bytes.begin() + static_cast<std::ptrdiff_t>(element));
}

}  // namespace

std::string plain_answer(const std::vector<search::Argument>& declared,
                         const HostArguments& answered) {
  std::string plain;
  const auto add = [&](const search::Argument& argument, const std::string& is) {
    plain += (plain.empty() ? "'" : ", '") + argument.name + "' is " + is;
  };
  for (std::size_t i = 0; i < declared.size(); ++i) {
    const search::Argument& argument = declared[i];
    if (argument.scalar || argument.access == Access::kIn) continue;
    const auto bytes = answered.buffer(i).bytes();
    const std::size_t element = search::bytes_of(argument.type);
    if (answered.is_as_it_was(i)) {
      add(argument, "left as it was");
    } else if (are_all_the_same(bytes, element)) {
      add(argument, "the same in all " + std::to_string(bytes.size() / element) + " elements");
    }
  }
  return plain;
}

}  // namespace nightshift::evaluator
