#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/journal.h"
#include "search/acceptance.h"
#include "search/id.h"

namespace nightshift::scheduler {

// One measurement within a confirmation.
struct Visit {
  std::string device;  // Device::key()
  int round = 0;       // from 0
  Arm arm = Arm::kNone;
  friend bool operator==(const Visit&, const Visit&) = default;
};

// Fork and join: the candidate, the incumbent and the baseline are visited once in every round on
// every device, in an order drawn anew for each round, so that drift and warm-up hit all arms
// alike; the visits are joined by search::judge. Visits are handed out one at a time and device by
// device, so nothing has to be called back when a confirmation ends early.
//
// The plan depends on nothing but the constructor's arguments: a resumed study repeats it.
class Confirmation {
 public:
  // `with_incumbent`: there is an accepted incumbent besides the baseline.
  Confirmation(search::ConfirmationId id, search::TrialId candidate, bool with_incumbent,
               std::vector<std::string> devices, const search::AcceptanceSettings& settings,
               std::uint64_t seed);

  search::ConfirmationId id() const { return id_; }
  search::TrialId candidate() const { return candidate_; }
  std::size_t planned() const;   // visits, on all devices
  std::size_t measured() const;  // that ended

  // The visit that the device is to make next; nullopt when it has none left.
  std::optional<Visit> next(const std::string& device) const;
  void started(const Visit& visit);
  // `cost` in the unit of the objective, oriented so that lower is better; nullopt: it failed.
  void finished(const Visit& visit, std::optional<double> cost, const std::string& failure);
  // The candidate was measured, but is beyond a limit of the problem.
  void refused(const Visit& visit, const std::string& beyond_limits);
  // The device is gone: it is no longer asked for its opinion.
  void drop(const std::string& device);
  // Drops every device that is not listed and has visits left to make.
  void keep(const std::vector<std::string>& devices);

  // All planned visits ended, or the outcome is certain already (the candidate failed).
  bool complete() const;
  // Needs complete(). NeedMore has been turned into further rounds when it is returned.
  search::Verdict judge();

 private:
  struct Lane {
    std::string device;
    std::vector<Visit> plan;
    std::size_t started = 0;
    std::size_t ended = 0;
    search::DeviceVisits visits;
  };
  Lane* lane(const std::string& device);
  const Lane* lane(const std::string& device) const;
  void extend(int rounds);
  void plan_round(Lane& lane, std::size_t position, int round);

  search::ConfirmationId id_;
  search::TrialId candidate_;
  bool with_incumbent_;
  search::AcceptanceSettings settings_;
  std::uint64_t seed_;
  int rounds_ = 0;
  std::vector<Lane> lanes_;
  std::string rejection_;  // why no more visits are needed
};

}  // namespace nightshift::scheduler
