#include <variant>

#include "search/value.h"
#include "tools/table/formats/table_formats.h"
#include "tools/table/formats/table_kinds.h"
#include "tools/table/formats/table_names.h"

namespace nightshift::tools {
namespace {

using Kind = search::ShapeFeature::Kind;

std::string python_value(const search::Value& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "True" : "False";
  if (const auto* words = std::get_if<std::string>(&value)) return quoted_literal(*words);
  return search::to_text(value);
}

std::string python_values(const search::Configuration& c) {
  std::string text = "{";
  for (const auto& [name, value] : c.entries()) {
    text += (text.size() == 1 ? "" : ", ") + quoted_literal(name) + ": " + python_value(value);
  }
  return text + "}";
}

std::string feature_text(const search::ShapeFeature& f, const std::vector<std::string>& names) {
  const std::string& first = names[f.first];
  const std::string amount = std::to_string(f.amount);
  switch (f.kind) {
    case Kind::kSize:
      return first;
    case Kind::kProduct:
      return "float(" + first + ") * float(" + names[f.second] + ")";
    case Kind::kTiles:
      return "-(-" + first + " // " + amount + ") * -(-" + names[f.second] + " // " + amount + ")";
    case Kind::kDivisible:
      return "(" + first + " % " + amount + " == 0)";
    case Kind::kPowerOfTwo:
      return "(" + first + " & (" + first + " - 1) == 0)";
  }
  return "";
}

void add_node(const TableDocument& d, std::size_t at, const std::vector<std::string>& names,
              const std::string& indent, std::string& text) {
  const search::TreeNode& node = d.rule.unseen.tree[at];
  if (node.is_leaf) {
    const std::string condition = vouched(d, node.choice, names, CodeLanguage::kPython);
    const std::string choice = std::to_string(node.choice);
    text += indent + "return " + choice +
            (condition.empty() ? "" : " if " + condition + " else 0") + "\n";
    return;
  }
  text += indent + "if " + feature_text(node.feature, names) +
          " <= " + condition_number(node.threshold) + ":\n";
  add_node(d, node.low, names, indent + "    ", text);
  add_node(d, node.high, names, indent, text);
}

// `of`: behind the name, where a module has several of them.
std::string rows_text(const TableDocument& d, const std::string& of) {
  std::string text = "# Calls that were measured.\n_ROWS" + of + " = {\n";
  for (const search::TableRow& row : d.rule.rows) {
    std::string sizes;
    for (const auto& [name, size] : row.sizes) sizes += std::to_string(size) + ", ";
    text += "    (" + sizes + "): " + std::to_string(row.choice) + ",\n";
  }
  return text + "}\n\n\n";
}

struct Sizes {
  std::vector<std::string> names;
  std::string parameters, list;  // "M, N", "M, N, "
};

Sizes sizes_of(const TableDocument& d, bool of_kinds = false) {
  Sizes sizes;
  std::vector<std::string> taken{"row", "choose", "configuration", "float", "abs", "int"};
  if (of_kinds) taken.insert(taken.end(), {"kind", "known", "chosen"});
  for (const std::string& name : d.rule.names) {
    sizes.names.push_back(identifier(name, taken));
    taken.push_back(sizes.names.back());
    sizes.parameters += (sizes.parameters.empty() ? "" : ", ") + sizes.names.back();
    sizes.list += sizes.names.back() + ", ";
  }
  return sizes;
}

std::string provenance_text(const TableDocument& d) {
  std::string text;
  for (const std::string& line : provenance_of(d)) text += "# " + line + "\n";
  return text;
}

std::string configurations_text(const TableDocument& d) {
  std::string text =
      "\n# The default first; its values are empty where it is another program.\nCONFIGURATIONS = "
      "[\n";
  for (std::size_t i = 0; i < d.rule.configurations.size(); ++i) {
    text += "    " + python_values(i == 0 ? d.default_values : d.rule.configurations[i]) + ",\n";
  }
  return text + "]\n\n";
}

std::string choose_text(const TableDocument& d, const Sizes& sizes, const std::string& name,
                        const std::string& of) {
  std::string text = "def " + name + "(" + sizes.parameters +
                     "):\n    \"\"\"The place in CONFIGURATIONS for a call of these "
                     "sizes; 0: the default.\"\"\"\n    row = _ROWS" +
                     of + ".get((" + sizes.list +
                     "))\n    if row is not None:\n"
                     "        return row\n";
  for (std::size_t i = 0; i < sizes.names.size(); ++i) {
    const search::SizeRange& range = d.rule.unseen.ranges[i];
    text += "    if not " + std::to_string(range.least) + " <= " + sizes.names[i] +
            " <= " + std::to_string(range.most) + ":\n        return 0\n";
  }
  add_node(d, 0, sizes.names, "    ", text);
  return text + "\n\n";
}

}  // namespace

std::string table_python(const TableDocument& d) {
  const Sizes sizes = sizes_of(d);
  return provenance_text(d) + configurations_text(d) + rows_text(d, "") +
         choose_text(d, sizes, "choose", "") + "def configuration(" + sizes.parameters +
         "):\n    \"\"\"The values for a call of these sizes.\"\"\"\n    return "
         "CONFIGURATIONS[choose(" +
         sizes.parameters + ")]\n";
}

std::string kinds_python(const KindsDocument& given) {
  const KindsDocument document = with_common_configurations(given);
  const Sizes sizes = sizes_of(document.tables.front().table, true);
  std::string provenance, choices, kinds = "# By the kind of device.\n_CHOICES = {\n";
  for (std::size_t i = 0; i < document.tables.size(); ++i) {
    const TableOfKind& one = document.tables[i];
    const std::string of = "_" + std::to_string(i);
    provenance += provenance_text(one.table);
    choices += rows_text(one.table, of) + choose_text(one.table, sizes, "_choose" + of, of);
    kinds += "    " + quoted_literal(one.kind) + ": _choose" + of + ",\n";
  }
  return provenance + configurations_text(document.tables.front().table) + choices + kinds +
         "}\n\n\ndef choose(kind, " + sizes.parameters +
         "):\n    \"\"\"The place in CONFIGURATIONS for a call of these sizes; 0: the default. "
         "kind: of a\n"
         "    device, or its name; one that is none of these gets the default.\"\"\"\n"
         "    for known, chosen in _CHOICES.items():\n"
         "        if kind in (known, known.split(\",\")[0]):\n"
         "            return chosen(" +
         sizes.parameters +
         ")\n    return 0\n\n\n"
         "def configuration(kind, " +
         sizes.parameters +
         "):\n    \"\"\"The values for a call of these sizes.\"\"\"\n    return "
         "CONFIGURATIONS[choose(kind, " +
         sizes.parameters + ")]\n";
}

}  // namespace nightshift::tools
