#include "kernels/toml_host.h"

#include <algorithm>
#include <limits>
#include <set>

#include "kernels/element_type.h"

namespace nightshift::kernels {
namespace {

using search::Argument;

constexpr double kHuge = 1e300;

search::HostSource read_source(TableReader& host, std::string_view key,
                               const std::filesystem::path& folder) {
  search::HostSource source;
  auto table = host.subtable(key);
  if (!table) return source;
  if (table->require("file")) table->file("file", folder, source.file);
  if (table->require("function") && table->text("function", source.function) &&
      !is_function_name(source.function)) {
    table->complain("function",
                    "must be the name of a function, not " + in_quotes(source.function));
  }
  table->texts("flags", source.flags);
  table->finish();
  return source;
}

void read_tolerance(TableReader& host, search::HostBackend& backend) {
  auto table = host.subtable("tolerance");
  if (!table) return;
  table->number("relative", backend.relative_tolerance, 0, kHuge);
  table->number("absolute", backend.absolute_tolerance, 0, kHuge);
  table->finish();
}

void read_fill(TableReader& table, Argument& argument) {
  using Fill = Argument::Fill;
  table.choice("access", argument.access,
               {{"in", Argument::Access::kIn},
                {"out", Argument::Access::kOut},
                {"inout", Argument::Access::kInOut}});
  table.choice("fill", argument.fill,
               {{"uniform", Fill::kUniform},
                {"normal", Fill::kNormal},
                {"constant", Fill::kConstant},
                {"sequence", Fill::kSequence}});
  set_default_fill(argument);
  table.number("low", argument.low, -kHuge, kHuge);
  table.number("high", argument.high, -kHuge, kHuge);
  if (argument.fill == Fill::kUniform && argument.low > argument.high) {
    table.complain("low", "must not be above 'high'");
  }
  if (argument.fill == Fill::kNormal && argument.high < 0) {
    table.complain("high", "is the standard deviation and must not be negative");
  }
}

// A text, or a number as it stands.
std::optional<search::Expression> read_amount(TableReader& table, std::string_view key,
                                              const KnownNames& names) {
  const toml::node& node = *table.take(key);
  PlacedText text = placed_text(node);
  if (const auto number = scalar(node); number && node.is_number()) {
    text.text = search::to_text(*number);
  } else if (!table.text(key, text.text)) {
    return std::nullopt;
  }
  return read_expression(text, key, names, table.mistakes());
}

Argument read_argument(TableReader& table, const KnownNames& names) {
  Argument argument;
  if (table.require("name") && table.text("name", argument.name) && !is_identifier(argument.name)) {
    table.complain("name",
                   "must be of letters, digits and underscores, not " + in_quotes(argument.name));
  }
  if (table.require("type")) {
    std::vector<std::string> types;
    std::string type;
    for (const auto& [name, known] : kElementTypes) {
      types.emplace_back(name);
    }
    if (table.text("type", type)) {
      const auto found = std::find(types.begin(), types.end(), type);
      if (found == types.end()) {
        table.complain("type", "must be " + alternatives(types) + ", not " + in_quotes(type) +
                                   suggestion(type, types));
      } else {
        argument.type = kElementTypes.at(static_cast<std::size_t>(found - types.begin())).second;
      }
    }
  }
  const bool sized = table.take("size") != nullptr, valued = table.take("value") != nullptr;
  argument.scalar = valued && !sized;
  if (sized == valued) {
    table.mistakes().add(table.place(),
                         "argument " + in_quotes(argument.name) +
                             (sized ? " has both a 'size' and a 'value'"
                                    : " needs a 'size' (a vector) or a 'value' (a scalar)"));
  }
  if (sized) argument.size = read_amount(table, "size", names);
  if (valued) argument.value = read_amount(table, "value", names);
  if (argument.scalar) {
    for (const char* key : {"access", "fill", "low", "high"}) {
      if (table.take(key))
        table.complain(key, "has no meaning for a scalar, which is passed by value");
    }
  } else {
    read_fill(table, argument);
  }
  table.finish();
  return argument;
}

}  // namespace

Constants read_sizes(TableReader& host) {
  Constants sizes;
  auto table = host.subtable("sizes");
  if (!table) return sizes;
  for (const auto& [key, node] : table->table()) {
    const std::string name(key.str());
    std::int64_t size = 0;
    if (!is_name(name)) {
      table->complain(name, "must have a name of letters, digits and underscores");
    } else {
      constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
      table->integer(name, size, -kMost, kMost);
      sizes.emplace_back(name, size);  // known also when it is wrong
    }
  }
  return sizes;
}

PlacedHost read_host(TableReader& host, const KnownNames& names,
                     const std::filesystem::path& folder) {
  PlacedHost result;
  result.place = host.place();
  search::HostBackend& backend = result.backend;
  backend.sizes = names.constants;
  host.take("sizes");
  host.text("compiler", backend.compiler);
  if (host.require("kernel")) backend.kernel = read_source(host, "kernel", folder);
  backend.baseline = read_source(host, "baseline", folder);
  backend.reference = read_source(host, "reference", folder);
  read_tolerance(host, backend);
  std::set<std::string> seen;
  for (TableReader& table : host.subtables("argument")) {
    result.arguments.push_back(table.place());
    backend.arguments.push_back(read_argument(table, names));
    const std::string& name = backend.arguments.back().name;
    if (!name.empty() && !seen.insert(name).second) {
      table.complain("name", "is " + in_quotes(name) + ", which an earlier argument has");
    }
  }
  host.finish();
  return result;
}

}  // namespace nightshift::kernels
