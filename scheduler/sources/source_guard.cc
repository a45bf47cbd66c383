#include "scheduler/sources/source_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

namespace nightshift::scheduler {
namespace {

using Standing = SourceLook::Standing;

bool has_input_file(const std::vector<search::Argument>& arguments) {
  return std::ranges::any_of(arguments, [](const search::Argument& a) { return !a.file.empty(); });
}

// By processes that serve several trials.
bool reads_once(const search::Problem& problem) {
  if (const auto* command = std::get_if<search::CommandBackend>(&problem.backend)) {
    return command->mode == search::CommandBackend::Mode::kServer;
  }
  if (const auto* host = std::get_if<search::HostBackend>(&problem.backend)) {
    return has_input_file(host->arguments);
  }
  const auto* cuda = std::get_if<search::CudaBackend>(&problem.backend);
  return cuda != nullptr && has_input_file(cuda->arguments);
}

std::string what_is_wrong(const SourceLook& look) {
  return look.file + (look.standing == Standing::kGone ? " is gone" : " has changed");
}

}  // namespace

SourceGuard::SourceGuard(SourceFiles* files, const search::Problem& problem, const Clock& clock)
    : files_(files), problem_(problem), clock_(clock) {}

std::string SourceGuard::disturbance() {
  if (files_ == nullptr) return {};
  const SourceLook look = files_->look();
  const bool held = holds();
  if (look.standing != Standing::kAsBegun) {
    if (!held || look.standing != last_.standing) since_ = clock_.now();
    last_ = look;
    if (!held && patience() > 0) {
      news_ = fmt::format(
          "{} since the study began: nothing begins until it is as it was, for {:g} s at most, and "
          "what ran meanwhile counts for nothing",
          what_is_wrong(look), patience());
    }
    return "meanwhile " + what_is_wrong(look);
  }
  if (held) {
    since_.reset();
    news_ = last_.file + " is as it was when the study began, which goes on";
    return "meanwhile " + what_is_wrong(last_);
  }
  return look.disturbed ? "meanwhile a file that the study is made of was written anew or moved"
                        : "";
}

double SourceGuard::patience() const {
  if (last_.standing == Standing::kGone) return kForAFile;
  return reads_once(problem_) ? 0 : kForItsContent;
}

bool SourceGuard::is_over(bool time_is_up) const {
  if (given_up_) return true;
  if (!holds()) return false;
  const std::chrono::duration<double> waited = clock_.now() - *since_;
  return time_is_up || waited.count() >= patience();
}

std::string SourceGuard::reason() const {
  const std::string begin = what_is_wrong(last_) + " since the study began, ";
  if (last_.standing == Standing::kGone) {
    return begin + "so that nothing more can be built or claimed: once it is back, resume it";
  }
  return begin +
         "and nothing is claimed from two versions of it: resume the study, which begins anew with "
         "the file as it is, or goes on once it is as it was";
}

std::optional<std::string> SourceGuard::take_news() { return std::exchange(news_, std::nullopt); }

}  // namespace nightshift::scheduler
