#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scheduler/journal/batch_record.h"
#include "scheduler/journal/batch_terms_text.h"

// A batch in its night with one of everything, for tests of what is told about it. It began at
// kBegan and has run for an hour; two GPUs; of the studies
//   gemm   completed, claims 2x at p = 1e-9      norm   running on gpu:0 with a guest on gpu:1
//   copy   completed, claims 1.02x at p = 0.004, which does not hold over the batch
//   bad    failed                                late   waits for norm
//   rough  completed without a claim
namespace nightshift::tests {

inline constexpr double kBatchBegan = 1.7e9;
inline constexpr double kBatchNow = kBatchBegan + 3600;

class ToldBatch {
 public:
  using State = scheduler::BatchStudyState;

  ToldBatch() {
    record_.name = "night";
    record_.version = "0.1.0";
    record_.writer = "4711 on node7";
    record_.runs = {{"4711 on node7", kBatchBegan, kBatchBegan + 7200, {}, "running", ""}};
    auto& gemm = add("gemm", State::kCompleted, 0, 1200);
    gemm.claim = {{0.5, {0.48, 0.52}, 1e-9, 0.01}};
    gemm.progress = {{400, 380, 20, 3, "", 0.45, 0.5, 1200, 1200, 1, kBatchBegan + 1200}};
    gemm.reason = "the time budget of 20 min is used up";
    auto& norm = add("norm", State::kRunning, 1200, {});
    norm.progress = {{1234, 1200, 34, 1, "duel of trial 17: 8 of 16 pairs", 0.8, 0.9, 2400, 3600,
                      0.667, kBatchNow}};
    auto& copy = add("copy", State::kCompleted, 0, 600);
    copy.claim = {{0.98, {0.97, 0.99}, 0.004, 0.01}};
    copy.progress = {{200, 200, 0, 1, "", 0.97, 0.98, 600, 600, 1, kBatchBegan + 600}};
    auto& bad = add("bad", State::kFailed, 600, 660);
    bad.reason = "the baseline failed on gpu:1: killed by SIGSEGV while measuring";
    bad.progress = {{0, 0, 0, 0, "", {}, {}, 60, 600, 0, kBatchBegan + 660}};
    auto& late = add("late", State::kWaiting, {}, {});
    late.terms.after = {"norm"};
    auto& rough = add("rough", State::kCompleted, 660, 1260);
    rough.progress = {{100, 60, 40, 0, "", 1.1, {}, 600, 600, 1, kBatchBegan + 1260}};
    record_.devices = {{"gpu:0", "NVIDIA H200", "norm", "measuring trial 1235 (confirm)", 3500},
                       {"gpu:1", "NVIDIA H200", "", "", 1900}};
    lease("gemm", "gpu:0", false, 0, 1200);
    lease("copy", "gpu:1", false, 0, 600);
    lease("bad", "gpu:1", false, 600, 660);
    lease("rough", "gpu:1", false, 660, 1260);
    lease("norm", "gpu:0", false, 1200, {});
    lease("norm", "gpu:1", true, 3000, 3060);
    event(0, "gemm", "begun", "begins on gpu:0");
    event(660, "bad", "ended", "the baseline failed on gpu:1");
    event(700, "", "notice", "others use gpu:1: process 99");
    event(1200, "gemm", "ended", "the time budget is used up");
  }

  const scheduler::BatchRecord& record() const { return record_; }
  scheduler::BatchRecord& record() { return record_; }
  scheduler::BatchStudyRecord& study(const std::string& name) {
    for (auto& study : record_.studies) {
      if (study.terms.name == name) return study;
    }
    return record_.studies.front();
  }

  // As the last run left it: nobody is at it any more.
  void end(double at, std::string status, std::string reason) {
    record_.writer.reset();
    record_.runs.back().ended = kBatchBegan + at;
    record_.runs.back().status = std::move(status);
    record_.runs.back().reason = std::move(reason);
  }
  void kill() { record_.writer.reset(); }
  void short_of_time(std::vector<std::string> left) {
    event(100, "", scheduler::kShortageEvent,
          scheduler::shortage_to_json({7200, 18000, std::move(left)}));
  }

 private:
  scheduler::BatchStudyRecord& add(std::string name, State state, std::optional<double> began,
                                   std::optional<double> ended) {
    scheduler::BatchStudyRecord study;
    study.terms.name = std::move(name);
    study.terms.problem = "/home/someone/" + study.terms.name + ".toml";
    study.state = state;
    if (began) study.began = kBatchBegan + *began;
    if (ended) study.ended = kBatchBegan + *ended;
    study.since = kBatchBegan + ended.value_or(began.value_or(0));
    record_.studies.push_back(std::move(study));
    return record_.studies.back();
  }
  void lease(std::string study, std::string device, bool guest, double from,
             std::optional<double> until) {
    record_.leases.push_back({std::move(study), std::move(device), guest, kBatchBegan + from,
                              until ? std::optional(kBatchBegan + *until) : std::nullopt});
  }
  void event(double at, std::string study, std::string kind, std::string text) {
    record_.events.push_back(
        {kBatchBegan + at, std::move(study), std::move(kind), std::move(text)});
  }

  scheduler::BatchRecord record_;
};

}  // namespace nightshift::tests
