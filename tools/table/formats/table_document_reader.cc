// What table_document.cc writes, read back.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "problems/json_scalar.h"
#include "tools/summary/json_number.h"
#include "tools/table/formats/table_document.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using Json = nlohmann::ordered_json;
using Kind = search::ShapeFeature::Kind;

constexpr std::size_t kMostBytes = std::size_t{64} << 20;

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
    d.kinds = json.value("kinds", std::vector<std::string>{});
    for (const Json& one : json.value("carried_over", Json::array())) add_carried(one, d);
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
    if (const auto judged = json.find("judged_on_others"); judged != json.end()) {
      read_judged(*judged, d);
    }
    if (const auto choosing = json.find("choosing"); choosing != json.end()) {
      read_choosing(*choosing, d);
    }
    return d;
  }

  search::Sizes sizes(const Json& json, const search::TableRule& rule) {
    search::Sizes sizes;
    for (const std::string& name : rule.names) {
      const auto size = json.at(name).get<std::int64_t>();
      if (size < 1) fail("has a size below 1");
      sizes.emplace_back(name, size);
    }
    return sizes;
  }

  static void add_carried(const Json& json, TableDocument& d) {
    search::CarriedOver cost;
    cost.shapes = json.value("shapes", std::size_t{0});
    cost.ran = json.value("ran", std::size_t{0});
    cost.as_good = json.value("as_good", std::size_t{0});
    cost.of_default = number(json, "of_default", 1);
    cost.own_of_default = number(json, "own_of_default", 1);
    cost.worst = worst(json);
    d.carried.push_back({json.value("kind", ""), cost});
  }

  void read_judged(const Json& json, TableDocument& d) {
    if (json.is_null()) return;
    d.unseen_claim.ratio = number(json, "ratio", 1);
    d.unseen_claim.interval = interval(json);
    d.unseen_claim.p_value = number(json, "p_value", 1);
    for (const Json& shape : json.at("shapes")) {
      d.unseen.push_back({sizes(shape.at("sizes"), d.rule), choice(shape.at("choice"), d.rule),
                          number(shape, "ratio", 1), shape.value("pairs", std::size_t{0})});
    }
  }

  static void read_choosing(const Json& json, TableDocument& d) {
    d.slack = number(json, "slack", d.slack);
    d.margin = number(json, "margin", d.margin);
    d.level = number(json, "level", d.level);
    for (const Json& k : json.value("curve", Json::array())) {
      d.curve.push_back({k.value("configurations", std::size_t{0}), number(k, "geometric_mean", 1),
                         number(k, "of_best", 1), worst(k),
                         k.value("beyond_slack", std::size_t{0})});
    }
    d.k = json.value("kept", std::size_t{0});
    for (const Json& e : json.value("left_out", Json::array())) {
      d.depths.push_back({e.value("depth", std::size_t{0}), number(e, "geometric_mean", 1),
                          number(e, "of_best", 1), worst(e), e.value("failed", std::size_t{0})});
    }
    d.depth = json.value("depth", std::size_t{0});
    const Json tests = json.value("leaf_tests", Json::object());
    d.leaf_tests = tests.value("asked", std::size_t{0});
    d.leaf_tests_shown = tests.value("shown", std::size_t{0});
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
    row.sizes = sizes(json.at("sizes"), d.rule);
    row.weight = json.value("weight", 1.0);
    row.choice = choice(json.at("choice"), d.rule);
    row.measured = json.value("measured", true);
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
  // Of an answer that does not run, which is written as null.
  static double worst(const Json& json) {
    const auto found = json.find("worst");
    return found != json.end() && found->is_null() ? search::kUnbounded.high
                                                   : number(json, "worst", 1);
  }
  static search::Interval interval(const Json& json) {
    const auto found = json.find("interval");
    if (found == json.end() || !found->is_array() || found->size() != 2) return {1, 1};
    const auto end = [&](std::size_t i, double otherwise) {
      return (*found)[i].is_number() ? (*found)[i].get<double>() : otherwise;
    };
    return {end(0, 0), end(1, search::kUnbounded.high), confidence_in(json)};
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
    read_conditions(json.value("constraints", Json::array()), rule);
    for (const Json& node : json.at("tree")) rule.unseen.tree.push_back(tree_node(node, rule));
    if (rule.unseen.tree.empty()) fail("has an empty tree");
    check_tree(rule.unseen.tree);
  }

  // Tables of earlier versions have none.
  void read_conditions(const Json& json, search::TableRule& rule) {
    for (const Json& of_one : json) {
      std::vector<search::SizeCondition>& own = rule.unseen.conditions.emplace_back();
      for (const Json& one : of_one) {
        const Json& holds = one.at("holds");
        own.push_back({one.at("constraint").get<std::string>(),
                       holds.is_null() ? "" : holds.get<std::string>()});
        if (holds.is_null()) continue;
        if (!search::is_askable(own.back().holds, rule.names, rule.unseen.ranges)) {
          fail("has a constraint that no sizes can be asked for");
        }
      }
    }
    const bool fits = rule.unseen.conditions.empty() ||
                      rule.unseen.conditions.size() == rule.configurations.size();
    if (!fits) fail("has constraints that fit no configuration");
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
    while (kind < std::size(kFeatureWords) && json.at("feature") != kFeatureWords[kind]) ++kind;
    if (kind == std::size(kFeatureWords))
      fail("asks for a feature that this version does not know");
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

TableDocument read_table_document(std::string_view text, const std::string& file) {
  return DocumentReader(file).read(text);
}

}  // namespace nightshift::tools
