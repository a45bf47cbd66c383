// bench-batch: a batch in the real queue, on simulated devices. How busy does it keep them, does
// each study end as it would alone, and what does it claim where there is nothing?
//
//   bench-batch queue FILE...     recorded spaces, each a device, with five studies of each
//   bench-batch sooner [REPEATS]  twelve studies of 20 s together on two devices, and one after the
//                                 other on one of them: what is lost, without cores that are short
//   bench-batch nothing [REPEATS] batches of 40 studies in which nothing is better
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <numbers>
#include <string>
#include <thread>
#include <vector>

#include "base/parallel.h"
#include "base/rng.h"
#include "problems/recorded_space.h"
#include "scheduler/batch/batch_runner.h"
#include "scheduler/summary/summary.h"
#include "search/searcher_catalogue.h"
#include "search/statistics/multiplicity.h"
#include "search/statistics/summary.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_shared_pool.h"
#include "tests/fakes/memory_journal.h"

namespace nightshift::bench {
namespace {

using scheduler::DeviceIndex;
using scheduler::Job;
using scheduler::JobEnded;

constexpr double kBootSeconds = 0.25;  // of a process that a study needs on a device
constexpr int kSamples = 5;

// A study of a batch, with what outlives its run.
struct SimulatedStudy {
  std::string name;
  search::Problem problem;
  std::unique_ptr<search::ParameterSpace> space;
  double evaluation_seconds = 0.15;  // beside what is measured
  // What a configuration measures, in ms, at that moment; nullopt: it fails.
  std::function<std::optional<double>(const Job&, double seconds)> time;
  fakes::MemoryJournal journal;
  scheduler::TuningObserver silent;
};

using Studies = std::vector<std::unique_ptr<SimulatedStudy>>;

class Active final : public scheduler::ActiveStudy {
 public:
  Active(SimulatedStudy& study, scheduler::SharedPool& pool, const scheduler::Clock& clock)
      : places_(pool, pool.admit({nullptr, "", 0, false})),
        searcher_(search::make_searcher(study.problem.scheduling.searcher, *study.space,
                                        settings_of(study))),
        tuner_({study.problem, *study.space, *searcher_, places_, study.journal, clock,
                study.silent}) {}
  scheduler::Tuner& tuner() override { return tuner_; }
  scheduler::StudyIndex place() const override { return places_.study(); }
  bool builds() const override { return false; }

 private:
  static search::SearcherSettings settings_of(const SimulatedStudy& study) {
    search::SearcherSettings settings;
    settings.seed = study.problem.scheduling.seed;
    settings.baseline = study.space->index_of(study.problem.baseline);
    return settings;
  }
  scheduler::StudyPlaces places_;
  std::unique_ptr<search::Searcher> searcher_;
  scheduler::Tuner tuner_;
};

// A batch of such studies, run to its end when it is made.
class SimulatedBatch final : private scheduler::BatchHost {
 public:
  // `device_of`: the only one that a study may use; empty: all of them.
  SimulatedBatch(std::vector<std::unique_ptr<SimulatedStudy>>& studies, int devices,
                 const std::vector<DeviceIndex>& device_of = {})
      : studies_(studies), pool_(clock_, devices) {
    pool_.boot_seconds = kBootSeconds;
    std::vector<scheduler::StudyTerms> terms(studies.size());
    for (std::size_t s = 0; s < terms.size(); ++s) {
      terms[s].budget_seconds = studies[s]->problem.budget.seconds;
      terms[s].may_use.assign(pool_.devices().size(), device_of.empty());
      if (!device_of.empty()) terms[s].may_use[device_of[s]] = true;
    }
    const double began = pool_.seconds();
    scheduler::BatchRunner(scheduler::BatchParts{pool_, *this, clock_}, std::move(terms), {})
        .run({});
    seconds = pool_.seconds() - began;
    for (const double s : pool_.busy_seconds) busy_seconds += s;
    // There was work for all until the first device found none any more.
    std::map<DeviceIndex, double> last;
    for (const auto& m : pool_.measured) last[m.job.device] = m.ended - began;
    full_until = seconds;
    for (const auto& [device, end] : last) full_until = std::min(full_until, end);
    for (const auto& m : pool_.measured) {
      busy_until += std::max(0.0, std::min(m.ended - began, full_until) - (m.started - began));
    }
  }

  double seconds = 0, busy_seconds = 0;
  double full_until = 0, busy_until = 0;  // as long as every device had work

 private:
  std::unique_ptr<scheduler::ActiveStudy> begin(std::size_t index,
                                                scheduler::SharedPool& pool) override {
    SimulatedStudy& study = *studies_[index];
    pool_.answer = [this, &study](const Job& job) {
      JobEnded done;
      const auto time = study.time(job, pool_.seconds());
      if (time) {
        done.report.outcome =
            search::Measured{{{search::Samples{"time", std::vector<double>(kSamples, *time)}}, {}}};
      } else {
        done.report.outcome = search::LaunchFailed{"not recorded as working"};
      }
      const double took = study.evaluation_seconds + kSamples * time.value_or(0) / 1000;
      done.report.cost.simulated = took;
      return std::pair(done, took);
    };
    return std::make_unique<Active>(study, pool, clock_);
  }

  std::vector<std::unique_ptr<SimulatedStudy>>& studies_;
  fakes::FakeClock clock_;
  fakes::FakeSharedPool pool_;
};

// --- Recorded spaces ---

std::unique_ptr<SimulatedStudy> recorded_study(
    const std::shared_ptr<const problems::RecordedSpace>& recording, std::uint64_t seed) {
  auto study = std::make_unique<SimulatedStudy>();
  study->name = fmt::format("{} {}", recording->kernel_name(), seed);
  search::Problem& problem = study->problem;
  problem.name = study->name;
  problem.backend = search::RecordedBackend{};
  problem.target = search::Target::kRecording;
  problem.parameters = recording->parameters();
  problem.baseline = recording->first_working()->configuration;
  problem.budget = {};
  problem.budget.trials = 150;
  problem.scheduling.seed = seed;
  std::vector<search::Configuration> all;
  for (const auto& trial : recording->trials()) all.push_back(trial.configuration);
  study->space = std::make_unique<search::ParameterSpace>(
      search::ParameterSpace::from_list(recording->parameters(), all));
  study->time = [recording, &problem](const Job& job, double) -> std::optional<double> {
    const search::Configuration& asked = job.evaluation().configuration;
    const auto* trial = recording->find(asked.is_baseline() ? problem.baseline : asked);
    if (trial == nullptr || trial->values.empty()) return std::nullopt;
    return search::median_of(trial->values);
  };
  return study;
}

// What a study comes to, whatever else ran beside it.
std::string outcome_of(const SimulatedStudy& study) {
  const auto summary = scheduler::summarise(study.journal.history, study.problem);
  std::string text =
      fmt::format("{} {} {:.17g}", summary.evaluations, summary.accepted, summary.ratio);
  for (const scheduler::TrialRecord& trial : study.journal.history.trials) {
    if (trial.proposed.job != search::JobKind::kExplore) continue;
    text += trial.proposed.configuration.to_json();
  }
  return text;
}

int queue(const std::vector<std::string>& files) {
  constexpr std::uint64_t kSeeds = 5;
  const int devices = static_cast<int>(files.size());  // a recording is one device
  std::vector<DeviceIndex> device_of;
  Studies together;
  std::vector<std::string> alone;
  double alone_seconds = 0;
  for (const std::string& file : files) {
    const auto recording =
        std::make_shared<const problems::RecordedSpace>(problems::RecordedSpace::read(file));
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      Studies one;
      one.push_back(recorded_study(recording, seed));
      alone_seconds += SimulatedBatch(one, 1).seconds;
      alone.push_back(outcome_of(*one.front()));
      together.push_back(recorded_study(recording, seed));
      device_of.push_back(static_cast<DeviceIndex>(&file - files.data()));
    }
  }
  const SimulatedBatch batch(together, devices, device_of);
  std::size_t same = 0;
  for (std::size_t s = 0; s < together.size(); ++s) same += outcome_of(*together[s]) == alone[s];
  fmt::print(
      "{} studies on {} devices: {:.1f} s, one after the other on one device {:.1f} s "
      "({:.2f} times)\n",
      together.size(), devices, batch.seconds, alone_seconds, alone_seconds / batch.seconds);
  fmt::print("end as they would alone: {} of {}\n", same, together.size());
  fmt::print(
      "devices measure for {:.2f} % of the time while there is work for all ({:.1f} s), "
      "{:.2f} % of the whole\n",
      100 * batch.busy_until / (devices * batch.full_until), batch.full_until,
      100 * batch.busy_seconds / (devices * batch.seconds));
  return same == together.size() ? EXIT_SUCCESS : EXIT_FAILURE;
}

// --- Two devices instead of one ---

// As studies of kernels of a GPU are.
constexpr double kBudgetSeconds = 20;
constexpr double kKernelSeconds = 0.025;  // of an evaluation, beside what is measured

// One fifth of its configurations is better, by up to a third.
std::unique_ptr<SimulatedStudy> timed_study(std::uint64_t seed) {
  constexpr int kValues = 1000;
  auto study = std::make_unique<SimulatedStudy>();
  search::Problem& problem = study->problem;
  problem.name = "timed";
  problem.backend = search::CommandBackend{};
  search::Parameter x;
  x.name = "x";
  for (int i = 0; i < kValues; ++i) x.values.emplace_back(std::int64_t{i});
  problem.parameters.push_back(x);
  problem.budget = {};
  problem.budget.seconds = kBudgetSeconds;
  study->evaluation_seconds = kKernelSeconds;
  problem.scheduling.seed = seed;
  study->space = std::make_unique<search::ParameterSpace>(problem.parameters, problem.constraints);
  auto rng = std::make_shared<base::Rng>(base::mix_seed(seed, 19));
  study->time = [rng, seed](const Job& job, double) {
    const search::Value* value = job.evaluation().configuration.find("x");
    double cost = 1;
    if (value != nullptr) {
      const auto place = static_cast<std::uint64_t>(std::get<std::int64_t>(*value));
      const std::uint64_t rank = base::mix_seed(seed, place) % kValues;
      cost = 0.67 + 1.65 * static_cast<double>(rank) / kValues;
    }
    return std::optional(cost * std::exp(0.01 * rng->normal()));
  };
  return study;
}

struct Spent {
  double seconds = 0;  // from the first start to the last end
  double measuring = 0, confirming = 0;
  double explored = 0, accepted = 0;
  double longest = 0;  // study, seconds

  void add(const Studies& studies, double took) {
    seconds += took;
    for (const auto& study : studies) {
      for (const scheduler::TrialRecord& trial : study->journal.history.trials) {
        if (!trial.finished) continue;
        const double on_device = trial.finished->finished - trial.finished->started;
        measuring += on_device;
        if (trial.proposed.job == search::JobKind::kConfirm) confirming += on_device;
        if (trial.proposed.job == search::JobKind::kExplore) ++explored;
      }
      const auto summary = scheduler::summarise(study->journal.history, study->problem);
      accepted += summary.accepted ? 1 : 0;
      longest = std::max(longest, study->journal.history.run_seconds);
    }
  }

  void print(const char* how, int devices) const {
    fmt::print(
        "{:<24} {:8.1f} s, {:5.0f} explored, {:3.0f} accepted, devices measure {:5.1f} % of "
        "the time: {:7.1f} s for confirmations, {:7.1f} s for the rest; the longest study {:.1f} "
        "s\n",
        how, seconds, explored, accepted, 100 * measuring / (devices * seconds), confirming,
        measuring - confirming, longest);
  }
};

int sooner(std::uint64_t repeats) {
  constexpr std::uint64_t kStudies = 12;
  Spent both, one;
  for (std::uint64_t repeat = 0; repeat < repeats; ++repeat) {
    Studies together;
    for (std::uint64_t s = 0; s < kStudies; ++s) {
      const std::uint64_t seed = base::mix_seed(repeat, s);
      together.push_back(timed_study(seed));
      Studies alone;
      alone.push_back(timed_study(seed));
      const double seconds = SimulatedBatch(alone, 1).seconds;
      one.add(alone, seconds);
    }
    const double seconds = SimulatedBatch(together, 2).seconds;
    both.add(together, seconds);
  }
  both.print("together on two devices", 2);
  one.print("one by one on one", 1);
  fmt::print("{:.2f} times sooner; {:.2f} if the two devices never waited\n",
             one.seconds / both.seconds, one.seconds / (both.measuring / 2));
  return EXIT_SUCCESS;
}

// --- Nothing to be found ---

constexpr int kCandidates = 200;
constexpr double kNoise = 0.02;  // from evaluation to evaluation
constexpr double kDrift = 0.01;  // of a device, over minutes

std::unique_ptr<SimulatedStudy> null_study(std::uint64_t seed) {
  auto study = std::make_unique<SimulatedStudy>();
  search::Problem& problem = study->problem;
  problem.name = "nothing";
  problem.backend = search::CommandBackend{};
  search::Parameter x;
  x.name = "x";
  for (int i = 0; i < kCandidates; ++i) x.values.emplace_back(std::int64_t{i});
  problem.parameters.push_back(x);
  problem.budget = {};
  problem.budget.trials = kCandidates;
  problem.scheduling.seed = seed;
  problem.scheduling.searcher = "random";
  study->space = std::make_unique<search::ParameterSpace>(problem.parameters, problem.constraints);
  auto rng = std::make_shared<base::Rng>(base::mix_seed(seed, 17));
  study->time = [rng](const Job& job, double seconds) {
    const double phase = seconds / 60 + static_cast<double>(job.device);
    return std::optional(std::exp(kNoise * rng->normal() + kDrift * std::sin(phase)));
  };
  return study;
}

struct NullBatch {
  int duels = 0, alone = 0,
      jointly = 0;  // studies that claim: by duels, by hold-outs, in the batch
};

NullBatch null_batch(std::uint64_t seed) {
  constexpr int kStudies = 40;
  std::vector<std::unique_ptr<SimulatedStudy>> studies;
  for (int s = 0; s < kStudies; ++s) {
    studies.push_back(null_study(base::mix_seed(seed, static_cast<std::uint64_t>(s))));
  }
  const SimulatedBatch batch(studies, 4);
  NullBatch result;
  std::vector<double> p;
  double level = 1;
  for (const auto& study : studies) {
    const auto summary = scheduler::summarise(study->journal.history, study->problem);
    result.duels += summary.won_duels ? 1 : 0;
    result.alone += summary.accepted ? 1 : 0;
    p.push_back(summary.accepted ? summary.p_value : 1);
    level = std::min(level, study->problem.acceptance.level);
  }
  for (const double adjusted : search::holm(p)) result.jointly += adjusted <= level ? 1 : 0;
  return result;
}

int nothing(std::size_t repeats) {
  std::vector<NullBatch> batches(repeats);
  base::in_parallel(repeats, std::max(1U, std::thread::hardware_concurrency()),
                    [&](std::size_t i) { batches[i] = null_batch(base::mix_seed(7, i)); });
  int duels = 0, alone = 0, jointly = 0, batches_alone = 0, batches_jointly = 0;
  for (const NullBatch& batch : batches) {
    duels += batch.duels;
    alone += batch.alone;
    jointly += batch.jointly;
    batches_alone += batch.alone > 0 ? 1 : 0;
    batches_jointly += batch.jointly > 0 ? 1 : 0;
  }
  fmt::print(
      "{} batches of 40 studies of {} equal candidates on 4 devices that scatter by {:g} % "
      "and drift by {:g} %\n",
      repeats, kCandidates, 100 * kNoise, 100 * kDrift);
  fmt::print("studies that won a duel      {}\n", duels);
  fmt::print("claims of single studies     {} in {} batches\n", alone, batches_alone);
  fmt::print("claims of the whole batch    {} in {} batches\n", jointly, batches_jointly);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace nightshift::bench

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() > 1 && arguments.front() == "queue") {
    return nightshift::bench::queue({arguments.begin() + 1, arguments.end()});
  }
  const auto repeats = [&](std::size_t usual) {
    return arguments.size() > 1 ? std::strtoul(arguments[1].c_str(), nullptr, 10) : usual;
  };
  if (!arguments.empty() && arguments.front() == "sooner") {
    return nightshift::bench::sooner(repeats(5));
  }
  if (!arguments.empty() && arguments.front() == "nothing") {
    return nightshift::bench::nothing(repeats(25));
  }
  std::fputs(
      "usage: bench-batch queue FILE... | bench-batch sooner [REPEATS] | "
      "bench-batch nothing [REPEATS]\n",
      stderr);
  return 2;
}
