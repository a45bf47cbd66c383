#include "problems/readers/toml/toml_tensor_map.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "problems/readers/diagnostics.h"
#include "problems/readers/toml/toml_kernel.h"

namespace nightshift::problems {
namespace {

using search::Argument;
using search::Expression;

constexpr std::size_t kMostDimensions = 5;

class TensorMapReader {
 public:
  TensorMapReader(TableReader& table, const KnownNames& names,
                  const std::vector<Argument>& arguments)
      : table_(table), names_(names), arguments_(arguments) {}

  ReadTensorMap read() {
    search::TensorMap& map = read_.map;
    if (!table_.require("name") || !table_.string("name", map.name)) {
      read_.whole = false;
    } else if (!is_identifier(map.name)) {
      wrong("name", "must be of letters, digits and underscores, not " + in_quotes(map.name));
    }
    read_argument();
    read_dimensions();
    map.swizzle = read_bytes("swizzle");
    map.l2_promotion = read_bytes("l2_promotion");
    table_.finish();
    return std::move(read_);
  }

 private:
  void wrong(std::string_view key, const std::string& message) {
    table_.error(key, message);
    read_.whole = false;
  }

  void read_argument() {
    std::string of;
    if (!table_.require("of") || !table_.string("of", of)) {
      read_.whole = false;
      return;
    }
    const auto found = std::find_if(arguments_.begin(), arguments_.end(),
                                    [&](const Argument& a) { return a.name == of; });
    if (found == arguments_.end()) {
      std::vector<std::string> known;
      for (const Argument& argument : arguments_) known.push_back(argument.name);
      wrong("of", "is " + in_quotes(of) + ", which is no argument" + suggestion(of, known));
    } else if (found->scalar) {
      wrong("of", "is " + in_quotes(of) + ", a scalar; a tensor map is of a vector");
    } else {
      read_.map.argument = static_cast<std::uint32_t>(found - arguments_.begin());
    }
  }

  void read_dimensions() {
    search::TensorMap& map = read_.map;
    const bool sized = read_list("extent", map.extent, true);
    const bool boxed = read_list("box", map.box, true);
    const bool pitched = read_list("pitch", map.pitch, false);
    if (!sized) return;
    const std::size_t dimensions = map.extent.size();
    if (dimensions == 0 || dimensions > kMostDimensions) {
      wrong("extent", "must have one to five expressions, the innermost dimension first");
      return;
    }
    if (boxed && map.box.size() != dimensions) {
      wrong("box", "must have as many expressions as 'extent', " + std::to_string(dimensions));
    }
    if (pitched && map.pitch.size() + 1 != dimensions) {
      wrong("pitch", "must have an expression for each dimension but the innermost, " +
                         std::to_string(dimensions - 1));
    }
  }

  // Whether the key is there with expressions in it; takes it in any case.
  bool read_list(std::string_view key, std::vector<Expression>& target, bool required) {
    if (table_.take(key) == nullptr) {
      if (required) wrong(key, "is missing");
      return false;
    }
    auto amounts = read_amounts(table_, key, names_);
    read_.whole = read_.whole && amounts;
    if (amounts) target = std::move(*amounts);
    return amounts.has_value();
  }

  Expression read_bytes(std::string_view key) {
    if (table_.take(key) == nullptr) return Expression::parse("0");
    auto amount = read_amount(table_, key, names_);
    read_.whole = read_.whole && amount;
    return amount ? std::move(*amount) : Expression::parse("0");
  }

  TableReader& table_;
  const KnownNames& names_;
  const std::vector<Argument>& arguments_;
  ReadTensorMap read_;
};

}  // namespace

ReadTensorMap read_tensor_map(TableReader& table, const KnownNames& names,
                              const std::vector<Argument>& arguments) {
  return TensorMapReader(table, names, arguments).read();
}

}  // namespace nightshift::problems
