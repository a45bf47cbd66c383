#include "tools/table/table_document.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "problems/json_scalar.h"
#include "tools/summary/json_number.h"
#include "tools/text/format.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using Json = nlohmann::ordered_json;
using Kind = search::ShapeFeature::Kind;

constexpr std::array<std::string_view, 5> kKinds{"size", "product", "tiles", "divisible",
                                                 "power-of-two"};
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

// --- Writing ---

Json sizes_json(const search::Sizes& sizes) {
  Json json = Json::object();
  for (const auto& [name, size] : sizes) json[name] = size;
  return json;
}

Json configuration_json(const search::Configuration& c) { return Json::parse(c.to_json()); }

Json tree_json(const search::TableRule& rule) {
  Json nodes = Json::array();
  for (const search::TreeNode& node : rule.unseen.tree) {
    if (node.is_leaf) {
      nodes.push_back({{"choice", node.choice}, {"shapes", node.shapes}});
      continue;
    }
    const search::ShapeFeature& feature = node.feature;
    Json json = {{"feature", kKinds[static_cast<std::size_t>(feature.kind)]},
                 {"size", rule.names[feature.first]}};
    if (feature.kind == Kind::kProduct || feature.kind == Kind::kTiles) {
      json["second"] = rule.names[feature.second];
    }
    if (feature.kind == Kind::kTiles || feature.kind == Kind::kDivisible) {
      json["amount"] = feature.amount;
    }
    json["at_most"] = node.threshold;
    json["then"] = node.low;
    json["else"] = node.high;
    json["shapes"] = node.shapes;
    nodes.push_back(std::move(json));
  }
  return nodes;
}

Json rows_json(const TableDocument& d) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < d.rule.rows.size(); ++i) {
    const search::TableRow& row = d.rule.rows[i];
    const RowEvidence& evidence = d.evidence[i];
    rows.push_back({{"sizes", sizes_json(row.sizes)},
                    {"weight", row.weight},
                    {"choice", row.choice},
                    {"ratio", number_json(evidence.ratio)},
                    {"interval", interval_json(evidence.interval)},
                    {"pairs", evidence.pairs},
                    {"reason", evidence.reason},
                    {"study", evidence.study}});
  }
  return rows;
}

Json unseen_json(const search::TableRule& rule) {
  Json ranges = Json::array(), divisors = Json::array();
  for (const search::SizeRange& range : rule.unseen.ranges) {
    ranges.push_back({range.least, range.most});
  }
  for (const auto& of_one : rule.unseen.divisors) divisors.push_back(of_one);
  return {
      {"ranges", std::move(ranges)}, {"divisors", std::move(divisors)}, {"tree", tree_json(rule)}};
}

Json claim_json(const search::TableClaim& claim) {
  return {{"accepted", claim.accepted},
          {"ratio", number_json(claim.ratio)},
          {"interval", interval_json(claim.interval)},
          {"p_value", number_json(claim.p_value)},
          {"signed_rank_p", number_json(claim.signed_rank_p)},
          {"pairs", claim.pairs},
          {"shapes", claim.shapes},
          {"reason", claim.reason}};
}

Json choosing_json(const TableDocument& d) {
  Json curve = Json::array(), depths = Json::array();
  for (const search::KeptConfigurations& k : d.curve) {
    curve.push_back({{"configurations", k.kept.size()},
                     {"geometric_mean", number_json(k.geometric_mean)},
                     {"of_best", number_json(k.of_best)},
                     {"worst", number_json(k.worst)},
                     {"beyond_slack", k.beyond_slack}});
  }
  for (const search::LeftOut& e : d.depths) {
    depths.push_back({{"depth", e.depth},
                      {"geometric_mean", number_json(e.geometric_mean)},
                      {"of_best", number_json(e.of_best)},
                      {"worst", number_json(e.worst)}});
  }
  return {{"slack", d.slack},          {"margin", d.margin}, {"level", d.level},
          {"curve", std::move(curve)}, {"kept", d.k},        {"left_out", std::move(depths)},
          {"depth", d.depth}};
}

Json unseen_results_json(const TableDocument& d) {
  if (d.unseen.empty()) return nullptr;
  Json shapes = Json::array();
  for (const TableDocument::Unseen& one : d.unseen) {
    shapes.push_back({{"sizes", sizes_json(one.sizes)},
                      {"choice", one.choice},
                      {"ratio", number_json(one.ratio)},
                      {"pairs", one.pairs}});
  }
  return {{"ratio", number_json(d.unseen_claim.ratio)},
          {"interval", interval_json(d.unseen_claim.interval)},
          {"p_value", number_json(d.unseen_claim.p_value)},
          {"shapes", std::move(shapes)}};
}

// --- Reading ---

class DocumentReader {
 public:
  explicit DocumentReader(const std::string& file) : file_(file) {}

  TableDocument read(std::string_view text) {
    if (text.size() > kMostBytes) fail("is larger than any table");
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("format")) {
      fail("is no table; `nightshift table BATCH` writes one");
    }
    if (json["format"] != kTableFormat) fail("is a table of another version");
    try {
      return document(json);
    } catch (const Json::exception& error) {
      fail(std::string("is a table that is not whole: ") + error.what());
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw UsageError(file_ + " " + what); }

  TableDocument document(const Json& json) {
    TableDocument d;
    json.at("problem").get_to(d.problem);
    d.problem_file = json.value("problem_file", "");
    d.made = json.value("made", "");
    d.version = json.value("version", "");
    d.objective = json.value("objective", "");
    d.maximised = json.value("maximised", false);
    d.devices = json.value("devices", std::vector<std::string>{});
    for (const auto& [name, value] : json.at("made_of").items()) {
      d.made_of.emplace_back(name, value.get<std::string>());
    }
    d.default_values = configuration(json.at("default"));
    json.at("sizes").get_to(d.rule.names);
    if (d.rule.names.empty()) fail("has no sizes");
    if (std::set<std::string>(d.rule.names.begin(), d.rule.names.end()).size() !=
        d.rule.names.size()) {
      fail("names a size twice");
    }
    for (const Json& c : json.at("configurations"))
      d.rule.configurations.push_back(configuration(c));
    if (d.rule.configurations.empty() || !d.rule.configurations.front().is_baseline()) {
      fail("does not begin with the default");
    }
    for (const Json& row : json.at("rows")) add_row(row, d);
    read_unseen(json.at("unseen"), d.rule);
    read_claim(json.at("claim"), d.claim);
    return d;
  }

  search::Configuration configuration(const Json& json) {
    std::vector<search::Configuration::Entry> entries;
    if (!json.is_object()) fail("has a configuration that is none");
    for (const auto& [name, value] : json.items()) {
      const auto scalar = problems::json_scalar(value);
      if (!scalar) fail("has a value of " + name + " that is none");
      entries.emplace_back(name, *scalar);
    }
    return search::Configuration(std::move(entries));
  }

  std::size_t choice(const Json& json, const search::TableRule& rule) {
    const auto at = json.get<std::size_t>();
    if (at >= rule.configurations.size()) fail("has a choice that is no configuration");
    return at;
  }

  void add_row(const Json& json, TableDocument& d) {
    search::TableRow row;
    for (const std::string& name : d.rule.names) {
      const auto size = json.at("sizes").at(name).get<std::int64_t>();
      if (size < 1) fail("has a size below 1");
      row.sizes.emplace_back(name, size);
    }
    row.weight = json.value("weight", 1.0);
    row.choice = choice(json.at("choice"), d.rule);
    RowEvidence evidence;
    evidence.study = json.value("study", "");
    evidence.reason = json.value("reason", "");
    evidence.ratio = number(json, "ratio", 1);
    evidence.pairs = json.value("pairs", std::size_t{0});
    evidence.interval = interval(json);
    d.rule.rows.push_back(std::move(row));
    d.evidence.push_back(std::move(evidence));
  }

  static double number(const Json& json, const char* name, double otherwise) {
    const auto found = json.find(name);
    return found != json.end() && found->is_number() ? found->get<double>() : otherwise;
  }
  static search::Interval interval(const Json& json) {
    const auto found = json.find("interval");
    if (found == json.end() || !found->is_array() || found->size() != 2) return {1, 1};
    const auto end = [&](std::size_t i, double otherwise) {
      return (*found)[i].is_number() ? (*found)[i].get<double>() : otherwise;
    };
    return {end(0, 0), end(1, search::kUnbounded.high)};
  }

  void read_claim(const Json& json, search::TableClaim& claim) {
    json.at("accepted").get_to(claim.accepted);
    claim.ratio = number(json, "ratio", 1);
    claim.interval = interval(json);
    claim.p_value = number(json, "p_value", 1);
    claim.signed_rank_p = number(json, "signed_rank_p", 1);
    claim.pairs = json.value("pairs", std::size_t{0});
    claim.shapes = json.value("shapes", std::size_t{0});
    claim.reason = json.value("reason", "");
  }

  void read_unseen(const Json& json, search::TableRule& rule) {
    const std::size_t sizes = rule.names.size();
    for (const Json& range : json.at("ranges")) {
      rule.unseen.ranges.push_back(
          {range.at(0).get<std::int64_t>(), range.at(1).get<std::int64_t>()});
    }
    for (const Json& divisors : json.at("divisors")) {
      rule.unseen.divisors.push_back(divisors.get<std::vector<std::int64_t>>());
      if (rule.unseen.divisors.back().size() != sizes) fail("has divisors that fit no size");
    }
    const bool fits = rule.unseen.ranges.size() == sizes &&
                      rule.unseen.divisors.size() == rule.configurations.size();
    if (!fits) fail("has ranges or divisors that fit no size");
    for (const auto& of_one : rule.unseen.divisors) {
      for (const std::int64_t divisor : of_one) {
        if (divisor < 0) fail("has a divisor below 0");
      }
    }
    for (const Json& node : json.at("tree")) rule.unseen.tree.push_back(tree_node(node, rule));
    if (rule.unseen.tree.empty()) fail("has an empty tree");
    check_tree(rule.unseen.tree);
  }

  std::size_t size_named(const Json& name, const search::TableRule& rule) {
    for (std::size_t i = 0; i < rule.names.size(); ++i) {
      if (name == rule.names[i]) return i;
    }
    fail("asks for a size that it does not have");
  }

  search::TreeNode tree_node(const Json& json, const search::TableRule& rule) {
    search::TreeNode node;
    node.shapes = json.value("shapes", std::size_t{0});
    node.is_leaf = json.contains("choice");
    if (node.is_leaf) {
      node.choice = choice(json.at("choice"), rule);
      return node;
    }
    std::size_t kind = 0;
    while (kind < kKinds.size() && json.at("feature") != kKinds[kind]) ++kind;
    if (kind == kKinds.size()) fail("asks for a feature that this version does not know");
    node.feature.kind = static_cast<Kind>(kind);
    node.feature.first = node.feature.second = size_named(json.at("size"), rule);
    if (json.contains("second")) node.feature.second = size_named(json["second"], rule);
    node.feature.amount = json.value("amount", std::int64_t{1});
    if (node.feature.amount < 1) fail("divides by nothing");
    json.at("at_most").get_to(node.threshold);
    json.at("then").get_to(node.low);
    json.at("else").get_to(node.high);
    return node;
  }

  // Children stand behind their parents, so that every way ends.
  void check_tree(const search::ShapeTree& tree) {
    for (std::size_t i = 0; i < tree.size(); ++i) {
      if (tree[i].is_leaf) continue;
      for (const std::size_t child : {tree[i].low, tree[i].high}) {
        if (child <= i || child >= tree.size()) fail("has a tree that goes in circles, or nowhere");
      }
    }
  }

  const std::string& file_;
};

}  // namespace

std::string change_text(const TableDocument& d) {
  search::Objective objective;
  objective.name = d.objective.empty() ? "cost" : d.objective;
  objective.direction = d.maximised ? search::Direction::kMaximise : search::Direction::kMinimise;
  return format_change(objective, d.claim.ratio, d.claim.interval, Times::kLeftOut);
}

Json table_json(const TableDocument& d) {
  Json configurations = Json::array(), made_of = Json::object();
  for (const search::Configuration& c : d.rule.configurations) {
    configurations.push_back(configuration_json(c));
  }
  for (const auto& [name, value] : d.made_of) made_of[name] = value;
  return {{"format", kTableFormat},
          {"problem", d.problem},
          {"problem_file", d.problem_file},
          {"made", d.made},
          {"version", d.version},
          {"objective", d.objective},
          {"maximised", d.maximised},
          {"devices", d.devices},
          {"made_of", std::move(made_of)},
          {"claim", claim_json(d.claim)},
          {"sizes", d.rule.names},
          {"default", configuration_json(d.default_values)},
          {"configurations", std::move(configurations)},
          {"rows", rows_json(d)},
          {"unseen", unseen_json(d.rule)},
          {"judged_on_others", unseen_results_json(d)},
          {"choosing", choosing_json(d)}};
}

TableDocument read_table_document(std::string_view text, const std::string& file) {
  return DocumentReader(file).read(text);
}

}  // namespace nightshift::tools
