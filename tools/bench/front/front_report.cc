#include "tools/bench/front/front_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/bench/search/figures.h"

namespace nightshift::bench {
namespace {

using Json = nlohmann::ordered_json;

std::string row(const std::string& searcher, const FrontCurve& curve) {
  std::string text = fmt::format("  {:<24}", searcher);
  for (const Estimate& e : curve) {
    const search::Interval interval = e.interval();
    text += fmt::format("  {:.3f} [{:.3f}, {:.3f}]", e.value, interval.low, interval.high);
  }
  return text + "\n";
}

std::string heading(const std::string& name, const FrontSettings& settings) {
  std::string text = name + "\n" + fmt::format("  {:<24}", "share of the true front");
  for (const std::size_t mark : checkpoints(settings.budget)) {
    text += fmt::format("  {:<20}", fmt::format("at {}", mark));
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

Json curve_json(const FrontCurve& curve) {
  Json json = Json::array();
  for (const Estimate& e : curve) {
    const search::Interval interval = e.interval();
    json.push_back({{"value", e.value}, {"low", interval.low}, {"high", interval.high}});
  }
  return json;
}

}  // namespace

std::string front_text(const std::vector<FrontResult>& results,
                       const std::vector<FrontSpace>& spaces, const FrontSettings& settings,
                       bool summary) {
  std::string text = fmt::format(
      "{} seeds, {} evaluations, bootstrap intervals of 95 % over seeds\n"
      "The area that is dominated below the median of each figure, over that of the true front\n",
      settings.seeds, settings.budget);
  for (std::size_t s = 0; s < spaces.size() && !summary; ++s) {
    const FrontSpace& space = spaces[s];
    const std::string name = fmt::format(
        "{}: {} configurations that worked, {} on the front with {}", space.replayed().name(),
        space.replayed().sorted_values().size(), space.front_size(), space.second());
    text += "\n" + heading(name, settings);
    for (const FrontResult& result : results) text += row(result.searcher, result.spaces[s]);
  }
  text += "\n" + heading(fmt::format("all {} spaces", spaces.size()), settings);
  for (const FrontResult& result : results) text += row(result.searcher, result.all);
  return text;
}

std::string front_json(const std::vector<FrontResult>& results,
                       const std::vector<FrontSpace>& spaces, const FrontSettings& settings) {
  Json json = {{"seeds", settings.seeds},
               {"budget", settings.budget},
               {"bootstrap_samples", settings.samples},
               {"checkpoints", checkpoints(settings.budget)},
               {"spaces", Json::array()},
               {"searchers", Json::array()}};
  for (const FrontSpace& space : spaces) {
    json["spaces"].push_back({{"name", space.replayed().name()},
                              {"second", space.second()},
                              {"worked", space.replayed().sorted_values().size()},
                              {"on_the_front", space.front_size()}});
  }
  for (const FrontResult& result : results) {
    Json entry = {{"name", result.searcher}, {"spaces", Json::array()}};
    for (const FrontCurve& curve : result.spaces) entry["spaces"].push_back(curve_json(curve));
    entry["all"] = curve_json(result.all);
    json["searchers"].push_back(std::move(entry));
  }
  return json.dump(1) + "\n";
}

}  // namespace nightshift::bench
