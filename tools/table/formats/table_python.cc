#include <variant>

#include "search/value.h"
#include "tools/table/formats/table_formats.h"
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
    const std::string condition = vouched(d, node.choice, names, {" and ", "False"});
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

std::string rows_text(const TableDocument& d) {
  std::string text = "# Calls that were measured.\n_ROWS = {\n";
  for (const search::TableRow& row : d.rule.rows) {
    std::string sizes;
    for (const auto& [name, size] : row.sizes) sizes += std::to_string(size) + ", ";
    text += "    (" + sizes + "): " + std::to_string(row.choice) + ",\n";
  }
  return text + "}\n\n\n";
}

}  // namespace

std::string table_python(const TableDocument& d) {
  std::vector<std::string> names, taken{"row", "choose", "configuration", "float"};
  std::string list, parameters;
  for (const std::string& name : d.rule.names) {
    names.push_back(identifier(name, taken));
    taken.push_back(names.back());
    parameters += (parameters.empty() ? "" : ", ") + names.back();
    list += names.back() + ", ";
  }
  std::string text;
  for (const std::string& line : provenance_of(d)) text += "# " + line + "\n";
  text +=
      "\n# The default first; its values are empty where it is another program.\nCONFIGURATIONS = "
      "[\n";
  for (std::size_t i = 0; i < d.rule.configurations.size(); ++i) {
    text += "    " + python_values(i == 0 ? d.default_values : d.rule.configurations[i]) + ",\n";
  }
  text += "]\n\n" + rows_text(d);
  text += "def choose(" + parameters +
          "):\n    \"\"\"The place in CONFIGURATIONS for a call of these "
          "sizes; 0: the default.\"\"\"\n    row = _ROWS.get((" +
          list +
          "))\n    if row is not None:\n"
          "        return row\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const search::SizeRange& range = d.rule.unseen.ranges[i];
    text += "    if not " + std::to_string(range.least) + " <= " + names[i] +
            " <= " + std::to_string(range.most) + ":\n        return 0\n";
  }
  add_node(d, 0, names, "    ", text);
  return text + "\n\ndef configuration(" + parameters +
         "):\n    \"\"\"The values for a call of these sizes.\"\"\"\n    return "
         "CONFIGURATIONS[choose(" +
         parameters + ")]\n";
}

}  // namespace nightshift::tools
