#include <algorithm>
#include <cctype>
#include <iterator>
#include <variant>

#include "base/overloaded.h"
#include "search/value.h"
#include "tools/table/formats/table_formats.h"
#include "tools/table/formats/table_kinds.h"
#include "tools/table/formats/table_names.h"

namespace nightshift::tools {
namespace {

using Kind = search::ShapeFeature::Kind;

// The parameters that any configuration has, with the C++ type that takes all their values.
struct Member {
  std::string name, own, type;
};

std::string type_of(const search::Value& value) {
  return std::visit(
      base::Overloaded{[](bool) { return "bool"; }, [](std::int64_t) { return "long long"; },
                       [](double) { return "double"; },
                       [](const std::string&) { return "const char*"; }},
      value);
}

std::vector<Member> members_of(const TableDocument& d) {
  std::vector<Member> members;
  std::vector<std::string> taken{"is_default"};
  std::vector<const search::Configuration*> all{&d.default_values};
  for (const search::Configuration& c : d.rule.configurations) all.push_back(&c);
  for (const search::Configuration* c : all) {
    for (const auto& [name, value] : c->entries()) {
      const auto known = std::ranges::find(members, name, &Member::name);
      if (known == members.end()) {
        members.push_back({name, identifier(name, taken), type_of(value)});
        taken.push_back(members.back().own);
      } else if (known->type != type_of(value)) {
        known->type = "const char*";
      }
    }
  }
  return members;
}

std::string literal_of(const search::Value* value, const std::string& type) {
  if (type == "const char*") return quoted_literal(value == nullptr ? "" : search::to_text(*value));
  if (value == nullptr) return type == "bool" ? "false" : "0";
  const auto* truth = std::get_if<bool>(value);
  return truth != nullptr ? (*truth ? "true" : "false") : search::to_text(*value);
}

std::string configurations_text(const TableDocument& d, const std::vector<Member>& members) {
  std::string text =
      "struct Configuration {\n  bool is_default;  // what there was before the table";
  if (d.default_values.is_baseline()) text += "; its other members say nothing";
  text += "\n";
  for (const Member& m : members) text += "  " + m.type + " " + m.own + ";\n";
  text += "};\n\ninline constexpr Configuration kConfigurations[] = {\n";
  for (std::size_t i = 0; i < d.rule.configurations.size(); ++i) {
    const search::Configuration& c = i == 0 ? d.default_values : d.rule.configurations[i];
    text += std::string("    {") + (i == 0 ? "true" : "false");
    for (const Member& m : members) text += ", " + literal_of(c.find(m.name), m.type);
    text += "},  // " + std::to_string(i) + "\n";
  }
  return text + "};\ninline constexpr int kConfigurationCount = " +
         std::to_string(d.rule.configurations.size()) + ";\n\n";
}

std::string feature_text(const search::ShapeFeature& f, const std::vector<std::string>& names) {
  const std::string& first = names[f.first];
  const std::string amount = std::to_string(f.amount);
  switch (f.kind) {
    case Kind::kSize:
      return "double(" + first + ")";
    case Kind::kProduct:
      return "double(" + first + ") * double(" + names[f.second] + ")";
    case Kind::kTiles:
      return "tiles(" + first + ", " + amount + ") * tiles(" + names[f.second] + ", " + amount +
             ")";
    case Kind::kDivisible:
      return "(" + first + " % " + amount + " == 0 ? 1.0 : 0.0)";
    case Kind::kPowerOfTwo:
      return "((" + first + " & (" + first + " - 1)) == 0 ? 1.0 : 0.0)";
  }
  return "";
}

void add_node(const TableDocument& d, std::size_t at, const std::vector<std::string>& names,
              const std::string& indent, std::string& text) {
  const search::TreeNode& node = d.rule.unseen.tree[at];
  if (node.is_leaf) {
    const std::string condition = vouched(d, node.choice, names, CodeLanguage::kCpp);
    const std::string choice = std::to_string(node.choice);
    text += indent + "return " +
            (condition.empty() ? choice : condition + " ? " + choice + " : 0") + ";\n";
    return;
  }
  text += indent + "if (" + feature_text(node.feature, names) +
          " <= " + condition_number(node.threshold) + ") {\n";
  add_node(d, node.low, names, indent + "  ", text);
  text += indent + "}\n";
  add_node(d, node.high, names, indent, text);
}

std::string parameters(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names)
    list += (list.empty() ? "long long " : ", long long ") + name;
  return list;
}

std::string rows_text(const TableDocument& d) {
  std::string text = "// Calls that were measured.\nstruct Row {\n  long long sizes[" +
                     std::to_string(d.rule.names.size()) +
                     "];\n  int choice;\n};\ninline constexpr Row kRows[] = {\n";
  for (const search::TableRow& row : d.rule.rows) {
    std::string sizes;
    for (const auto& [name, size] : row.sizes) {
      sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
    }
    text += "    {{" + sizes + "}, " + std::to_string(row.choice) + "},\n";
  }
  return text + "};\n\n";
}

std::string choose_text(const TableDocument& d, const std::vector<std::string>& names) {
  std::string text =
      "// The place in kConfigurations for a call of these sizes; 0: the default.\n"
      "constexpr int choose(" +
      parameters(names) + ") {\n  for (const Row& row : kRows) {\n    if (";
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : " && ") + ("row.sizes[" + std::to_string(i) + "] == ") + names[i];
  }
  text += ") return row.choice;\n  }\n  // Outside of what was measured nothing is known.\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const search::SizeRange& range = d.rule.unseen.ranges[i];
    text += "  if (" + names[i] + " < " + std::to_string(range.least) + " || " + names[i] + " > " +
            std::to_string(range.most) + ") return 0;\n";
  }
  text += "  // A decision tree, for calls that were not measured.\n";
  add_node(d, 0, names, "  ", text);
  return text + "}\n\n";
}

constexpr const char* kTiles =
    "constexpr double tiles(long long size, long long amount) {\n"
    "  return double(size / amount + (size % amount == 0 ? 0 : 1));\n}\n\n";

bool asks_for_tiles(const TableDocument& d) {
  return std::ranges::any_of(d.rule.unseen.tree, [](const search::TreeNode& node) {
    return !node.is_leaf && node.feature.kind == Kind::kTiles;
  });
}

bool asks_conditions(const TableDocument& d) {
  return std::ranges::any_of(d.rule.unseen.conditions, [](const auto& of_one) {
    return std::ranges::any_of(of_one, [](const auto& one) { return !one.holds.empty(); });
  });
}

std::string functions_text(bool tiles, bool conditions) {
  return std::string(tiles ? kTiles : "") + std::string(conditions ? kConditionFunctions : "");
}

// Names of the header itself, which no size may take.
std::vector<std::string> size_names(const TableDocument& d) {
  std::vector<std::string> own, taken{"row", "kind", "kRows", "kConfigurations", "tiles", "choose"};
  taken.insert(taken.end(), std::begin(kConditionNames), std::end(kConditionNames));
  for (const std::string& name : d.rule.names) {
    own.push_back(identifier(name, taken));
    taken.push_back(own.back());
  }
  return own;
}

// The file around `body`, which stands in the problem's namespace.
std::string in_file(const TableDocument& d, const std::string& provenance,
                    const std::string& body) {
  const std::string name = identifier(d.problem, {});
  std::string guard = "NIGHTSHIFT_TABLE_" + name + "_H";
  for (char& c : guard) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return provenance + "#ifndef " + guard + "\n#define " + guard +
         "\n\nnamespace nightshift_table::" + name + " {\n\n" + body +
         "}  // namespace nightshift_table::" + name + "\n\n#endif\n";
}

std::string provenance_text(const TableDocument& d) {
  std::string text;
  for (const std::string& line : provenance_of(d)) text += "// " + line + "\n";
  return text;
}

std::string namespace_of_kind(std::size_t kind) { return "kind_" + std::to_string(kind); }

// kKinds, kind_of() and the choose() that asks the table of a kind.
std::string kinds_text(const KindsDocument& document, const std::vector<std::string>& names) {
  std::string text = "// Kinds of device.\ninline constexpr const char* kKinds[] = {\n";
  for (const TableOfKind& one : document.tables) text += "    " + quoted_literal(one.kind) + ",\n";
  text +=
      "};\ninline constexpr int kKindCount = " + std::to_string(document.tables.size()) +
      ";\n\n"
      "// The place in kKinds of a device by its kind or by its name, as its driver calls it; -1:\n"
      "// none of them.\n"
      "constexpr int kind_of(const char* name) {\n"
      "  for (int kind = 0; kind < kKindCount; ++kind) {\n"
      "    const char* own = kKinds[kind];\n"
      "    const char* asked = name;\n"
      "    while (*asked != 0 && *asked == *own) {\n"
      "      ++asked;\n"
      "      ++own;\n"
      "    }\n"
      "    if (*asked == 0 && (*own == 0 || *own == ',')) return kind;\n"
      "  }\n"
      "  return -1;\n"
      "}\n\n"
      "// The place in kConfigurations for a call of these sizes on that kind; 0: the default, "
      "also\n"
      "// of a kind that is none of these.\n"
      "constexpr int choose(int kind, " +
      parameters(names) + ") {\n";
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  for (std::size_t i = 0; i < document.tables.size(); ++i) {
    text += "  if (kind == " + std::to_string(i) + ") return " + namespace_of_kind(i) +
            "::choose(" + list + ");\n";
  }
  return text + "  return 0;\n}\n\n";
}

}  // namespace

std::string table_header(const TableDocument& d) {
  return in_file(d, provenance_text(d),
                 configurations_text(d, members_of(d)) + rows_text(d) +
                     functions_text(asks_for_tiles(d), asks_conditions(d)) +
                     choose_text(d, size_names(d)));
}

std::string kinds_header(const KindsDocument& given) {
  const KindsDocument document = with_common_configurations(given);
  const TableDocument& first = document.tables.front().table;
  const std::vector<std::string> names = size_names(first);
  std::string provenance, kinds;
  bool tiles = false, conditions = false;
  for (std::size_t i = 0; i < document.tables.size(); ++i) {
    const TableDocument& d = document.tables[i].table;
    provenance += provenance_text(d);
    tiles = tiles || asks_for_tiles(d);
    conditions = conditions || asks_conditions(d);
    kinds += "namespace " + namespace_of_kind(i) + " {\n\n" + rows_text(d) + choose_text(d, names) +
             "}  // namespace " + namespace_of_kind(i) + "\n\n";
  }
  return in_file(first, provenance,
                 configurations_text(first, members_of(first)) + functions_text(tiles, conditions) +
                     kinds + kinds_text(document, names));
}

}  // namespace nightshift::tools
