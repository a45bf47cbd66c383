// The questions of a table: no worse than the default, and the hold-out.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <utility>
#include <variant>

#include "base/content_hash.h"
#include "base/rng.h"
#include "scheduler/errors.h"
#include "scheduler/ranking.h"
#include "search/acceptance/no_worse.h"
#include "search/scoring.h"
#include "search/table/table_rule.h"
#include "tools/compare/contest.h"
#include "tools/table/table_measuring.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using scheduler::Contender;
using Kind = StoredMeasurement::Kind;

// A verdict as the store keeps it.
search::Verdict verdict_of(const StoredMeasurement& m) {
  search::Verdict verdict;
  if (m.accepted) {
    verdict.acceptance = search::Accept{m.reason};
  } else {
    verdict.acceptance = search::Reject{m.reason};
  }
  verdict.ratio = m.ratio;
  verdict.interval = m.interval;
  verdict.p_value = m.p_value;
  verdict.devices.push_back({"", static_cast<int>(m.pairs.size()), 0, 0, 0});
  return verdict;
}

StoredMeasurement measurement_of(const search::Verdict& verdict, const std::vector<double>& pairs,
                                 const std::vector<int>& counts) {
  StoredMeasurement m;
  m.pairs = pairs;
  m.counts = counts;
  m.accepted = search::is_accepted(verdict);
  m.ratio = verdict.ratio;
  m.p_value = verdict.p_value;
  m.interval = verdict.interval;
  m.reason = search::reason_of(verdict.acceptance);
  return m;
}

// What was asked at one level answers at another where it says the same there.
bool answers(const StoredMeasurement& m, double level, double margin) {
  constexpr double kRounding = 1e-9;
  if (m.margin != margin) return false;
  return m.accepted ? m.level <= level * (1 + kRounding) : m.level >= level * (1 - kRounding);
}

search::AcceptanceSettings settings_of(const search::Problem& problem,
                                       const TableMeasuringTerms& terms, double level) {
  search::AcceptanceSettings settings = search::judging(problem);
  settings.level = level;
  settings.max_pairs = terms.pairs;
  settings.finish_margin = terms.margin;
  settings.test = search::DuelTest::kGroupSequential;
  return settings;
}

// What a test at another level makes of pairs that are there, look by look; nullopt where they are
// too few, or not accepted, or where tails have a say, which are not kept.
std::optional<search::Verdict> judged_again(const StoredMeasurement& m,
                                            const search::AcceptanceSettings& settings) {
  std::vector<search::DevicePairs> devices;
  auto next = m.pairs.begin();
  for (const int count : m.counts) {
    if (count < 1 || m.pairs.end() - next < count) return std::nullopt;
    devices.push_back({std::to_string(devices.size()), {next, next + count}, {}, 0});
    next += count;
  }
  const bool whole = !devices.empty() && next == m.pairs.end();
  if (!whole || settings.tail == search::TailRule::kReject) return std::nullopt;
  const search::DuelPlan plan = search::plan_comparison(static_cast<int>(devices.size()), settings);
  for (std::size_t look = 0; look < plan.pairs.size(); ++look) {
    std::vector<search::DevicePairs> so_far = devices;
    for (search::DevicePairs& device : so_far) {
      const auto at_look = static_cast<std::size_t>(plan.pairs[look]);
      if (device.effects.size() < at_look) return std::nullopt;
      device.effects.resize(at_look);
    }
    search::Verdict verdict = search::judge_no_worse(so_far, look, plan, settings, "the default");
    if (search::is_accepted(verdict)) return verdict;
    if (!std::holds_alternative<search::NeedMore>(verdict.acceptance)) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

// One question about two: what is to be asked, and what came of it.
struct TableMeasuring::Asked {
  search::AcceptanceSettings settings;
  std::function<search::DuelPlan(int devices)> plan;
  std::function<std::optional<search::Verdict>(std::span<const search::DevicePairs>, std::size_t,
                                               const search::DuelPlan&)>
      judge;
  std::string what;  // for the status line
  search::Verdict verdict;
  std::vector<double> pairs;
  std::vector<int> counts;  // by device
};

void TableMeasuring::ask_no_worse(const std::string& shape, Asked& asked) {
  asked.what = fmt::format("no worse? {}", shape);
  asked.plan = [&](int devices) { return search::plan_comparison(devices, asked.settings); };
  asked.judge = [&](std::span<const search::DevicePairs> pairs, std::size_t look,
                    const search::DuelPlan& plan) -> std::optional<search::Verdict> {
    search::Verdict verdict =
        search::judge_no_worse(pairs, look, plan, asked.settings, "the default");
    const bool more = std::holds_alternative<search::NeedMore>(verdict.acceptance);
    if (more && look + 1 < plan.pairs.size()) return std::nullopt;
    return verdict;
  };
}

// False where a signal stopped it, or nothing can be said.
bool TableMeasuring::measure_pairs(std::size_t shape, std::size_t candidate, Asked& asked) {
  search::Problem problem = batch_.studies[shape].problem;
  problem.acceptance = asked.settings;
  const auto contest = held_.contest(batch_.studies[shape], problem, folder_);
  devices_ = contest->devices();
  const search::DuelPlan plan = asked.plan(static_cast<int>(devices_.size()));
  scheduler::Ranking::Question question{plan, {}};
  question.judge = [&](std::span<const search::DevicePairs> pairs, std::size_t look) {
    return asked.judge(pairs, look, plan);
  };
  question.why_late = [this] { return is_late() ? std::string(kLate) : ""; };
  std::vector<Contender> both = contenders(shape, {0, candidate});
  const std::uint64_t seed = base::mix_seed(terms_.seed, 1'000'000 + shape * 64 + store_.size());
  scheduler::Ranking ranking(problem, devices_, {both[0].name, both[1].name}, seed, question);
  const bool ended = contest->run(
      ranking, with_reference(problem, std::move(both)),
      [&] { return fmt::format("{}, {} pairs", asked.what, ranking.rounds()); },
      codes_[shape].reference);
  evaluations_ += ranking.records().size();
  stopped_ = stopped_ || !ended;
  if (!ended) return false;
  if (ranking.has_lost_device() && held_.are_of_nodes()) {
    throw scheduler::DeviceError(ranking.undecided());
  }
  why_[shape] = one_line(ranking.undecided());
  asked.verdict = ranking.verdict();
  for (const search::DevicePairs& d : ranking.pairs().front().devices) {
    asked.pairs.insert(asked.pairs.end(), d.effects.begin(), d.effects.end());
    if (!d.effects.empty()) asked.counts.push_back(static_cast<int>(d.effects.size()));
  }
  return ranking.undecided().empty();
}

// False where it was not reached: a signal, the end of the time, a failure.
bool TableMeasuring::ask(std::size_t shape, std::size_t candidate, Asked& asked) {
  if (is_late()) why_[shape] = kLate;
  if (stopped_ || is_late() || dropped_[shape]) return false;
  int losses = 0;
  while (true) {
    try {
      return ask_once(shape, candidate, asked);
    } catch (const scheduler::DeviceError& error) {
      if (goes_on_elsewhere(losses, error.what())) continue;
      why_[shape] = kLate;
      return false;
    }
  }
}

bool TableMeasuring::ask_once(std::size_t shape, std::size_t candidate, Asked& asked) {
  if (!build(shape, {0, candidate}) || cell(shape, candidate).failed) return false;
  try {
    return measure_pairs(shape, candidate, asked);
  } catch (const scheduler::ContenderFailed& failed) {
    if (failed.contender() == 1) {
      fail(shape, candidate, failed.what());
      why_[shape] = one_line(failed.what());
    } else {
      drop_shape(shape, failed.what());
    }
  } catch (const scheduler::StudyError& error) {
    why_[shape] = one_line(error.what());
    notices_.push_back(search::text_of(columns_[shape].shape.sizes) + ": " + why_[shape]);
  }
  return false;
}

std::optional<search::Verdict> TableMeasuring::no_worse(std::size_t shape, std::size_t candidate,
                                                        double level) {
  const std::string name = search::text_of(columns_[shape].shape.sizes);
  const StoredMeasurement* stored = store_.trial(name, key(candidate));
  if (stored != nullptr && answers(*stored, level, terms_.margin)) {
    ++reused_;
    return verdict_of(*stored);
  }
  const search::Problem& problem = batch_.studies[shape].problem;
  Asked asked;
  asked.settings = settings_of(problem, terms_, level);
  // Of more shapes each is asked at a stricter level. Then the pairs that are there have half of it,
  // and new ones the other half.
  if (stored != nullptr && stored->accepted && stored->margin == terms_.margin) {
    asked.settings = settings_of(problem, terms_, level / 2);
    if (auto verdict = judged_again(*stored, asked.settings)) {
      ++reused_;
      return verdict;
    }
  }
  ask_no_worse(name, asked);
  if (!ask(shape, candidate, asked)) return std::nullopt;
  StoredMeasurement trial = measurement_of(asked.verdict, asked.pairs, asked.counts);
  trial.kind = Kind::kTrial;
  trial.shape = name;
  trial.configuration = key(candidate);
  trial.level = level;
  trial.margin = terms_.margin;
  store_.add(std::move(trial));
  return asked.verdict;
}

void TableMeasuring::begin_hold_out(const std::vector<std::size_t>& rows) {
  std::string text = std::to_string(terms_.hold_out_pairs) + " pairs\n";
  for (std::size_t s = 0; s < rows.size(); ++s) {
    text += search::text_of(columns_[s].shape.sizes) + " " + key(rows[s]) + "\n";
  }
  table_ = base::content_hash(text);
}

std::optional<std::vector<double>> TableMeasuring::hold_out(std::size_t shape,
                                                            std::size_t candidate) {
  const std::string name = search::text_of(columns_[shape].shape.sizes);
  if (const StoredMeasurement* stored = store_.hold_out(table_, name, key(candidate))) {
    ++reused_;
    return stored->pairs;
  }
  Asked asked;
  asked.settings = search::judging(batch_.studies[shape].problem);
  asked.what = fmt::format("hold-out of the table: {}", name);
  asked.plan = [&](int devices) {
    const int each = std::max(2, (terms_.hold_out_pairs + devices - 1) / devices);
    return search::DuelPlan{{each}, {asked.settings.level}};
  };
  asked.judge = [rises = asked.settings.rises](
                    std::span<const search::DevicePairs> pairs, std::size_t,
                    const search::DuelPlan&) -> std::optional<search::Verdict> {
    return search::describe_pairs(pairs, rises);
  };
  if (!ask(shape, candidate, asked)) return std::nullopt;
  StoredMeasurement pairs = measurement_of(asked.verdict, asked.pairs, asked.counts);
  pairs.kind = Kind::kHoldOut;
  pairs.shape = name;
  pairs.configuration = key(candidate);
  pairs.table = table_;
  store_.add(std::move(pairs));
  return asked.pairs;
}

}  // namespace nightshift::tools
