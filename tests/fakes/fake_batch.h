#pragma once

#include <array>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/batch/batch_runner.h"
#include "tests/fakes/fake_shared_pool.h"
#include "tests/fakes/study_driver.h"

namespace nightshift::fakes {

using namespace scheduler;  // NOLINT: what a batch is made of

// One study of a fake batch: what outlives its runs.
struct FakeStudy {
  explicit FakeStudy(search::Problem p)
      : problem(std::make_shared<search::Problem>(std::move(p))),
        space(problem->parameters, problem->constraints) {}
  std::shared_ptr<search::Problem> problem;
  search::ParameterSpace space;
  MemoryJournal journal;
  RecordingObserver observer;
  std::function<double(int x, std::size_t device)> cost = [](int, std::size_t) { return 1.0; };
  double seconds = 1;          // of an evaluation
  double slowness = 1;         // on a device beside the first one
  double build_seconds = 0.1;  // of a build
  std::string refuses;         // why it cannot begin
};

class FakeActive final : public ActiveStudy {
 public:
  FakeActive(FakeStudy& study, SharedPool& pool, const Clock& clock)
      : index_(pool.admit({study.problem, "", 0})),
        places_(pool, index_),
        searcher_(study.space.size()),
        tuner_({*study.problem, study.space, searcher_, places_, study.journal, clock,
                study.observer}) {
    if (study.journal.history.trials.empty()) return;
    const History earlier = study.journal.history;
    tuner_.resume(earlier);
  }
  Tuner& tuner() override { return tuner_; }
  StudyIndex place() const override { return index_; }
  bool builds() const override { return false; }

 private:
  StudyIndex index_;
  StudyPlaces places_;
  ListSearcher searcher_;
  Tuner tuner_;
};

struct FakeBatch final : BatchHost {
  explicit FakeBatch(int devices, int builders = 0) : pool(clock, devices, builders) {}

  FakeStudy& add(search::Problem problem) {
    studies.push_back(std::make_unique<FakeStudy>(std::move(problem)));
    StudyTerms t;
    t.may_use.assign(pool.devices().size(), true);
    terms.push_back(t);
    return *studies.back();
  }
  BatchOutcome run(std::optional<double> seconds = {}) {
    BatchRunner runner({pool, *this, clock}, terms, standings);
    std::optional<BatchDeadline> deadline;
    if (seconds) deadline = {clock.unix_seconds() + *seconds, is_of_day};
    const BatchOutcome outcome = runner.run(deadline);
    for (DeviceIndex d = 0; d < pool.devices().size(); ++d) {
      busy_seconds.push_back(runner.busy_seconds(d));
    }
    return outcome;
  }

  std::unique_ptr<ActiveStudy> begin(std::size_t study, SharedPool& shared) override {
    FakeStudy& s = *studies[study];
    if (!s.refuses.empty()) throw std::runtime_error(s.refuses);
    pool.answer = [&s](const Job& job) {
      JobEnded done;
      if (job.builds()) {
        done.artifact = ipc::Artifact{artifact_of(job.build()), 1};
        return std::pair(done, s.build_seconds);
      }
      const int x = x_of(job.evaluation().configuration);
      done.report = measured(s.cost(x, job.device), base::mix_seed(7, job.trial.value));
      return std::pair(done, job.device == 0 ? s.seconds : s.seconds * s.slowness);
    };
    places[pool.admitted] = study;
    return std::make_unique<FakeActive>(s, shared, clock);
  }
  std::vector<Request> requests() override {
    std::vector<Request> due;
    while (!asked.empty() && asked.front().first <= pool.seconds()) {
      due.push_back(asked.front().second);
      asked.pop_front();
    }
    return due;
  }
  std::string lost() override { return pool.seconds() < lost_at ? "" : "the folder is gone"; }
  std::vector<bool> joined(DeviceIndex device) override {
    for (StudyTerms& t : terms) t.may_use.push_back(true);
    return users ? users(device) : std::vector<bool>(studies.size(), true);
  }
  void began(std::size_t, const std::vector<DeviceIndex>& devices) override {
    if (on_begun) on_begun(devices);
  }
  void ended(std::size_t study, const BatchStudyEnd& how) override {
    order.push_back(study);
    (void)how;
  }
  void left(const std::vector<std::size_t>& which, double whole_seconds) override {
    told_left.emplace_back(which, whole_seconds);
  }

  std::vector<std::string> kinds(const BatchOutcome& outcome) const {
    static const std::array names{"completed", "interrupted", "paused",
                                  "failed",    "cancelled",   "not begun"};
    std::vector<std::string> out;
    for (const auto& end : outcome.ends) {
      out.emplace_back(end ? names[static_cast<std::size_t>(end->kind)] : "waits");
    }
    return out;
  }

  FakeClock clock;
  bool is_of_day = false;  // the deadline of run()
  double lost_at = std::numeric_limits<double>::infinity();
  FakeSharedPool pool;
  std::vector<std::unique_ptr<FakeStudy>> studies;
  std::vector<StudyTerms> terms;
  std::vector<StudyStanding> standings;
  std::map<int, std::size_t> places;  // study by place in the pool
  std::vector<std::size_t> order;     // in which they ended
  std::vector<std::pair<std::vector<std::size_t>, double>> told_left;
  std::vector<double> busy_seconds;  // by device, as the runner counted them
  std::deque<std::pair<double, Request>> asked;
  std::function<void(const std::vector<DeviceIndex>&)> on_begun;
  std::function<std::vector<bool>(DeviceIndex)> users;  // of a device that joins
  void joins(double after, DeviceIndex device) {
    pool.injected.push_back({pool.seconds() + after, {{}, DeviceJoined{device}}});
  }
  std::size_t measured_on(DeviceIndex device, StudyIndex study) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        pool.measured, [&](const auto& m) { return m.study == study && m.job.device == device; }));
  }
};

}  // namespace nightshift::fakes
