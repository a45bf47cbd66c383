#include "tools/table/formats/table_document.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "tools/summary/json_number.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using Json = nlohmann::ordered_json;
using Kind = search::ShapeFeature::Kind;

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
    Json json = {{"feature", kFeatureWords[static_cast<std::size_t>(feature.kind)]},
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
                    {"measured", row.measured},
                    {"ratio", number_json(evidence.ratio)},
                    {"interval", interval_json(evidence.interval)},
                    {"confidence", evidence.interval.confidence},
                    {"pairs", evidence.pairs},
                    {"reason", evidence.reason},
                    {"study", evidence.study}});
  }
  return rows;
}

Json conditions_json(const search::TableRule& rule) {
  Json all = Json::array();
  for (std::size_t choice = 0; choice < rule.configurations.size(); ++choice) {
    Json& of_one = all.emplace_back(Json::array());
    for (const search::SizeCondition& one : rule.unseen.conditions_of(choice)) {
      of_one.push_back({{"constraint", one.constraint},
                        {"holds", one.holds.empty() ? Json() : Json(one.holds)}});
    }
  }
  return all;
}

Json unseen_json(const search::TableRule& rule) {
  Json ranges = Json::array(), divisors = Json::array();
  for (const search::SizeRange& range : rule.unseen.ranges) {
    ranges.push_back({range.least, range.most});
  }
  for (const auto& of_one : rule.unseen.divisors) divisors.push_back(of_one);
  return {{"ranges", std::move(ranges)},
          {"divisors", std::move(divisors)},
          {"constraints", conditions_json(rule)},
          {"tree", tree_json(rule)}};
}

Json claim_json(const search::TableClaim& claim) {
  return {{"accepted", claim.accepted},
          {"ratio", number_json(claim.ratio)},
          {"interval", interval_json(claim.interval)},
          {"confidence", claim.interval.confidence},
          {"p_value", number_json(claim.p_value)},
          {"signed_rank_p", number_json(claim.signed_rank_p)},
          {"pairs", claim.pairs},
          {"shapes", claim.shapes},
          {"reason", claim.reason}};
}

Json choosing_json(const TableDocument& d) {
  Json curve = Json::array(), depths = Json::array();
  for (const TableDocument::Kept& k : d.curve) {
    curve.push_back({{"configurations", k.configurations},
                     {"geometric_mean", number_json(k.geometric_mean)},
                     {"of_best", number_json(k.of_best)},
                     {"worst", number_json(k.worst)},
                     {"beyond_slack", k.beyond_slack}});
  }
  for (const search::LeftOut& e : d.depths) {
    depths.push_back({{"depth", e.depth},
                      {"geometric_mean", number_json(e.geometric_mean)},
                      {"of_best", number_json(e.of_best)},
                      {"worst", number_json(e.worst)},
                      {"failed", e.failed}});
  }
  return {
      {"slack", d.slack}, {"margin", d.margin},
      {"level", d.level}, {"curve", std::move(curve)},
      {"kept", d.k},      {"left_out", std::move(depths)},
      {"depth", d.depth}, {"leaf_tests", {{"asked", d.leaf_tests}, {"shown", d.leaf_tests_shown}}}};
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
          {"confidence", d.unseen_claim.interval.confidence},
          {"p_value", number_json(d.unseen_claim.p_value)},
          {"shapes", std::move(shapes)}};
}

Json carried_json(const TableDocument& d) {
  Json kinds = Json::array();
  for (const TableDocument::Carried& one : d.carried) {
    kinds.push_back({{"kind", one.kind},
                     {"shapes", one.cost.shapes},
                     {"ran", one.cost.ran},
                     {"as_good", one.cost.as_good},
                     {"of_default", number_json(one.cost.of_default)},
                     {"own_of_default", number_json(one.cost.own_of_default)},
                     {"worst", number_json(one.cost.worst)}});
  }
  return kinds;
}

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
          {"kinds", d.kinds},
          {"made_of", std::move(made_of)},
          {"claim", claim_json(d.claim)},
          {"sizes", d.rule.names},
          {"default", configuration_json(d.default_values)},
          {"configurations", std::move(configurations)},
          {"rows", rows_json(d)},
          {"unseen", unseen_json(d.rule)},
          {"judged_on_others", unseen_results_json(d)},
          {"carried_over", carried_json(d)},
          {"choosing", choosing_json(d)}};
}

}  // namespace nightshift::tools
