#include "tools/bisect/bisect_run.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "problems/problem_file.h"
#include "scheduler/clock.h"
#include "scheduler/errors.h"
#include "tools/compare/built_code.h"
#include "tools/compare/contender.h"
#include "tools/compare/measured_field.h"
#include "tools/problem/calling.h"
#include "tools/text/format.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using Finding = search::Bisection::Finding;

constexpr std::size_t kGoodEnd = 0;

struct Stopped {};  // by a signal

template <class Type>
bool is_a(const std::runtime_error& error) {
  return dynamic_cast<const Type*>(&error) != nullptr;
}

// A full disk, a lost device, a signal: it says nothing of the point that is looked at.
bool is_of_machine(const std::runtime_error& error) {
  return is_a<scheduler::JournalError>(error) || is_a<scheduler::DeviceError>(error) ||
         is_a<scheduler::StoppedEarly>(error) || is_a<OutputError>(error) ||
         is_a<std::system_error>(error);
}

class Run {
 public:
  Run(BisectPoints& points, const TemporaryFolder& folder, const BisectTerms& terms,
      BisectReport& report)
      : points_(points),
        folder_(folder),
        terms_(terms),
        report_(report),
        bisection_(points.size()),
        began_(clock_.now()) {}

  void carry_out() {
    const std::size_t last = points_.size() - 1;
    BisectedPoint& good = look_at(kGoodEnd, Finding::kGood);
    if (!build(good)) return broken_end(good);
    BisectedPoint& bad = look_at(last, Finding::kBad);
    if (!build(bad)) return broken_end(bad);
    report_.equal_ends = codes_[kGoodEnd] == codes_[last];
    if (report_.equal_ends) {
      bad.finding = Finding::kGood;
      bad.reason = "the machine code of " + good.name;
      return;
    }
    const auto found = compared(kGoodEnd, last, bad);
    if (!found) return broken_end(bad);
    report_.ends = *found;
    bad.verdict = verdict_;
    if (report_.ends != ComparisonOutcome::kSecondWorse) {
      bad.finding =
          report_.ends == ComparisonOutcome::kUndecided ? Finding::kUnknown : Finding::kGood;
      return;
    }
    while (const auto next = bisection_.next()) judge(*next);
    report_.first_bad = bisection_.first_bad();
    report_.last_good = bisection_.last_good();
    report_.suspects = bisection_.skipped();
    measure_step();
  }

  double seconds() const { return std::chrono::duration<double>(clock_.now() - began_).count(); }

 private:
  BisectedPoint& look_at(std::size_t place, Finding finding = Finding::kUnknown) {
    // Places of the list stay: it is never longer than the row.
    report_.looked_at.reserve(points_.size());
    report_.looked_at.push_back(
        {place, points_.name(place), points_.title(place), finding, "", std::nullopt});
    return report_.looked_at.back();
  }

  void broken_end(const BisectedPoint& end) {
    report_.broken = end.name + ": " + one_line(end.reason);
  }

  // False, with the reason, where it cannot be.
  bool build(BisectedPoint& point) {
    const auto began = clock_.now();
    try {
      build_or_throw(point);
    } catch (const std::runtime_error& error) {
      if (is_of_machine(error)) throw;
      point.reason = error.what();
    }
    // The good end's problem goes on, and with it what it reads: the others are their machine code.
    if (point.place != kGoodEnd) points_.done_with(point.place);
    report_.build_seconds += std::chrono::duration<double>(clock_.now() - began).count();
    return point.reason.empty();
  }

  void build_or_throw(BisectedPoint& point) {
    search::Problem problem = points_.problem(point.place);
    const search::Configuration configuration = points_.by(
        point.place, read_contender(terms_.configuration, problem, problems::make_space(problem)));
    const bool is_good_end = point.place == kGoodEnd;
    if (!is_good_end && !called_alike(problem, report_.problem)) {
      throw UsageError("its arguments, sizes or launches are other ones than those of the first");
    }
    const auto built = built_code(problem, {{point.name, configuration}}, terms_.devices, folder_,
                                  "building " + point.name);
    if (!built) throw Stopped{};
    codes_[point.place] = built->contenders.front();
    if (!is_good_end) return;
    report_.problem = std::move(problem);
    report_.configuration = configuration;
    reference_ = built->reference;
  }

  // The second against the first; nullopt, with the reason, where one of them fails.
  std::optional<ComparisonOutcome> compared(std::size_t first, std::size_t second,
                                            BisectedPoint& point) {
    Field field;
    field.problem = report_.problem;
    field.artifacts = folder_.artifacts();
    field.reference = reference_;
    field.temporary = folder_.path();
    // The ends, each step, and the last comparison share the level.
    field.problem.acceptance.level /= 2 + search::Bisection::steps(points_.size());
    for (const std::size_t place : {first, second}) {
      field.contenders.push_back({points_.name(place), report_.configuration, codes_[place]});
    }
    try {
      const auto found = tools::compared(field, {terms_.devices, terms_.seed});
      if (!found) throw Stopped{};
      report_.evaluations += found->records.size();
      verdict_ = found->verdict;
      return outcome_of(found->verdict, field.problem.acceptance.min_improvement);
    } catch (const scheduler::StudyError& error) {
      point.reason = error.what();
      return std::nullopt;
    }
  }

  void judge(std::size_t place) {
    BisectedPoint& point = look_at(place);
    point.finding = finding_of(point);
    bisection_.found(place, point.finding);
  }

  Finding finding_of(BisectedPoint& point) {
    if (!build(point)) return Finding::kSkipped;
    for (const BisectedPoint& other : report_.looked_at) {
      const bool is_known = other.finding == Finding::kGood || other.finding == Finding::kBad;
      if (!is_known || codes_[other.place] != codes_[point.place]) continue;
      point.reason = "the machine code of " + other.name;
      return other.finding;
    }
    const auto found = compared(kGoodEnd, point.place, point);
    if (!found) return Finding::kSkipped;
    point.verdict = verdict_;
    if (*found == ComparisonOutcome::kSecondWorse) return Finding::kBad;
    if (*found != ComparisonOutcome::kUndecided) return Finding::kGood;
    point.reason = search::reason_of(verdict_->acceptance);
    return Finding::kSkipped;
  }

  void measure_step() {
    const auto bad =
        std::ranges::find(report_.looked_at, *report_.first_bad, &BisectedPoint::place);
    if (report_.last_good == kGoodEnd) {
      report_.step = bad->verdict;
      if (report_.step) return;
    }
    BisectedPoint untold;
    if (compared(report_.last_good, *report_.first_bad, untold)) report_.step = verdict_;
  }

  BisectPoints& points_;
  const TemporaryFolder& folder_;
  const BisectTerms& terms_;
  BisectReport& report_;
  search::Bisection bisection_;
  scheduler::SystemClock clock_;
  scheduler::Clock::TimePoint began_;
  std::map<std::size_t, std::string> codes_;  // of places
  std::string reference_;
  std::optional<search::Verdict> verdict_;  // of the last comparison
};

}  // namespace

BisectReport bisected(BisectPoints& points, const TemporaryFolder& folder,
                      const BisectTerms& terms) {
  BisectReport report;
  report.kind = points.kind();
  report.points = points.size();
  Run run(points, folder, terms, report);
  try {
    run.carry_out();
  } catch (const Stopped&) {
    report.stopped = true;
  } catch (const scheduler::DeviceError& error) {
    if (report.looked_at.size() < 2) throw;
    report.device_error = error.what();
  }
  report.seconds = run.seconds();
  return report;
}

}  // namespace nightshift::tools
