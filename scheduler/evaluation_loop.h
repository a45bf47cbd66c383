#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/clock.h"
#include "scheduler/stop_gate.h"
#include "scheduler/trials/patience.h"
#include "scheduler/trials/trial_runner.h"
#include "scheduler/worker_pool.h"
#include "search/problem.h"
#include "search/scoring.h"

namespace nightshift::scheduler {

// What is measured beside others: a configuration, empty for the baseline, and what messages call
// it. Where `artifact` is given, its machine code is not built: the artifact folder has it by this
// hash, made by another compiler or of another source. So two contenders may have one
// configuration.
struct Contender {
  std::string name;
  search::Configuration configuration;
  std::string artifact = {};
};

// One evaluation as a plan asks for it; `contender` is a position in the loop's list.
struct PlannedEvaluation {
  std::size_t contender = 0;
  bool fresh_process = false;
  bool doubted = false;  // asked for under search::Trust::kNone
};

// Decides what each device measures next; a fold over what was measured.
class EvaluationPlan {
 public:
  virtual ~EvaluationPlan() = default;
  // Before everything else: the contenders' machine code, as of EvaluationLoop::artifact().
  virtual void built(const std::vector<std::string>& /*artifacts*/) {}
  // The evaluation that the device makes now; nullopt where it has none. What is returned is
  // measured, and the device is not asked again before ended() or lost().
  virtual std::optional<PlannedEvaluation> next(DeviceIndex device) = 0;
  // The outcome is Measured or a failure that is not the device's.
  virtual void ended(DeviceIndex device, const PlannedEvaluation& evaluation,
                     const TrialEnd& end) = 0;
  virtual void lost(DeviceIndex device, const std::string& reason) = 0;
};

// Told how a loop goes on.
class EvaluationObserver {
 public:
  virtual ~EvaluationObserver() = default;
  virtual void tick() {}                               // at least ten times a second
  virtual void notice(const std::string& /*text*/) {}  // what the pool gives notice of
};

// Measures a few known configurations, evaluation by evaluation: a plan without a search, a budget
// or a journal on the mechanism that studies have (TrialRunner). `compare` and `noise` rest on it.
//
//   EvaluationLoop loop({problem, pool, clock, observer, {{"A", a}, {"B", b}}});
//   if (loop.build() && loop.run(plan)) ...
class EvaluationLoop final : private TrialLog {
 public:
  static constexpr StopGate::Seconds kGrace{10};  // for what is in flight when a signal comes
  // How long it may take.
  struct Time {
    std::optional<Clock::TimePoint> end;  // of the budget; none: as long as the plan wants
    // What the first contender took limits the others, as a baseline does explorations.
    bool first_limits_others = false;
    // What others took limits each. Where nothing is known yet, an evaluation of the first that
    // takes longer than kFirstLook is put off: the second shows first how long one takes.
    bool each_limits_others = false;
    std::string used_up{kBudgetUsedUp};  // said of what `end` cuts off
  };
  static constexpr double kFirstLook = 10;  // seconds
  struct Parts {
    const search::Problem& problem;
    WorkerPool& pool;
    const Clock& clock;
    EvaluationObserver& observer;
    std::vector<Contender> contenders;
    // Hash of the reference's machine code where the artifact folder has it; of the baseline's
    // where the problem has no reference. Empty: it is built.
    std::string reference = {};
    Time time = {};
  };
  explicit EvaluationLoop(Parts parts);
  EvaluationLoop(const EvaluationLoop&) = delete;  // its runner tells it of steps
  EvaluationLoop& operator=(const EvaluationLoop&) = delete;

  // Builds the reference and every contender, each once. False where a signal stopped it; throws
  // StudyError that names what cannot be built, or where the budget ends before all is, and
  // DeviceError where no device is left.
  bool build();
  // The same while something else waits for the pool, from which on() gets what is this loop's;
  // build() waits for the rest of it.
  void begin_build();
  void on(const PoolEvent& event);
  bool is_building() const { return !building_.empty(); }
  // Measures until no device has an evaluation left. False where a signal stopped it: those in
  // flight were given kGrace. Throws what the plan throws.
  bool run(EvaluationPlan& plan);

  // Hash of the contender's machine code; empty for backends that do not build.
  std::string artifact(std::size_t contender) const { return artifacts_[contender]; }
  std::string reference_artifact() const { return runner_.reference_artifact(); }

 private:
  struct Place {  // a device
    std::optional<PlannedEvaluation> evaluation;
    std::string lost;             // why it is out of service; empty while it is in
    std::vector<double> seconds;  // that each contender took there at most; 0: not known
    bool put_off = false;         // the evaluation; the second contender is measured before it
    bool was_put_off = false;     // once
  };
  std::size_t measured_on(const Place& place) const {  // now, whatever the plan waits for
    return place.put_off ? 1 : place.evaluation->contender;
  }
  bool is_first_look(const Place& place) const;
  bool put_off(Place& place, const TrialEnd& end);

  TrialOrder order_for(std::size_t contender);
  Patience patience_for(DeviceIndex device) const;  // of the evaluation that is planned there
  void submit(DeviceIndex device);
  void fill(EvaluationPlan& plan);
  void wait(EvaluationPlan* plan);
  void take(const PoolEvent& event, EvaluationPlan* plan);
  void fold_ends(EvaluationPlan& plan);
  void fold_builds();
  void lose(DeviceIndex device, const std::string& reason, EvaluationPlan* plan);
  void step(search::TrialId, TrialState, std::uint32_t, std::string_view,
            std::string_view) override {}

  Parts parts_;
  search::Scoring scoring_;
  TrialRunner runner_;
  StopGate stop_;
  std::vector<Place> places_;
  std::vector<std::string> artifacts_;  // of the contenders
  std::map<search::TrialId, std::size_t> building_;
  bool is_build_begun_ = false;
  std::uint64_t last_trial_ = 0;
};

}  // namespace nightshift::scheduler
