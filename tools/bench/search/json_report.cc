#include "tools/bench/search/json_report.h"

#include <nlohmann/json.hpp>

namespace nightshift::bench {
namespace {

using Json = nlohmann::ordered_json;  // writes infinities as null

const char* kind_name(Group::Kind kind) {
  switch (kind) {
    case Group::Kind::kSpace:
      return "space";
    case Group::Kind::kKernel:
      return "kernel";
    default:
      return "all";
  }
}

Json estimate_json(const Estimate& e) {
  const search::Interval interval = e.interval();
  return {{"value", e.value}, {"low", interval.low}, {"high", interval.high}};
}

Json figures_json(const Figures& f) {
  Json json = Json::object();
  Json& fractions = json["fraction"] = Json::array();
  for (const FractionFigures& at : f.at) {
    fractions.push_back({{"median", estimate_json(at.median)},
                         {"mean", estimate_json(at.mean)},
                         {"lowest_tenth", estimate_json(at.lowest_tenth)}});
  }
  json["within_1_percent"] = estimate_json(f.hits);
  json["evaluations_to_95_percent"] = estimate_json(f.to_95);
  json["evaluations_to_99_percent"] = estimate_json(f.to_99);
  json["score_evaluations"] = estimate_json(f.score_evaluations);
  json["score_time"] = f.score_time ? estimate_json(*f.score_time) : Json();
  json["failures"] = estimate_json(f.failures);
  json["evaluations"] = estimate_json(f.evaluations);
  json["builds"] = estimate_json(f.builds);
  if (f.overhead) json["overhead_seconds"] = {{"mean", f.overhead->mean}, {"p99", f.overhead->p99}};
  json["curve"] = {
      {"mean", f.every_mean}, {"median", f.every_median}, {"lowest_tenth", f.every_lowest_tenth}};
  return json;
}

Json group_json(const Results& results, const Group& group) {
  Json json = {{"kind", kind_name(group.kind)}, {"name", group.name}, {"spaces", Json::array()}};
  for (const std::size_t s : group.members) json["spaces"].push_back(results.spaces[s].name());
  Json& searchers = json["searchers"] = Json::array();
  for (const SearcherResult& searcher : results.searchers) {
    const auto figures = figures_in(searcher, group);
    if (!figures) continue;
    Json entry = {{"name", searcher.name}, {"spaces", coverage(searcher, group)}};
    if (searcher.memory) entry["memory_bytes"] = *searcher.memory;
    entry.update(figures_json(*figures));
    searchers.push_back(std::move(entry));
  }
  return json;
}

}  // namespace

std::string json_report(const Results& results, const Options& options) {
  const Calibration& c = results.calibration;
  Json json;
  json["settings"] = {{"seeds", options.seeds},
                      {"budget", options.replay.budget},
                      {"outstanding", options.replay.outstanding},
                      {"noise_repeats", options.replay.noise_repeats},
                      {"baseline", options.replay.tell_baseline},
                      {"starts", options.starts},
                      {"expected", options.expected},
                      {"bootstrap_samples", options.figures.samples}};
  json["checkpoints"] = checkpoints(options.replay.budget);
  json["calibration"] = {{"random_score", estimate_json(c.score)},
                         {"expected", c.expected},
                         {"standard_error", c.error},
                         {"agrees", c.good()}};
  Json& groups = json["groups"] = Json::array();
  for (const Group& group : groups_of(results.spaces)) {
    groups.push_back(group_json(results, group));
  }
  return json.dump() + "\n";
}

}  // namespace nightshift::bench
