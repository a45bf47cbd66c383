#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/journal/history.h"
#include "search/configuration.h"
#include "search/id.h"
#include "search/problem.h"
#include "search/statistics/interval.h"

namespace nightshift::scheduler {

// A candidate against the baseline on one device, or on several joined as a verdict joins them:
// each device counts alike.
struct GainThere {
  // By the 95 % interval: it holds where all of the interval is better than the baseline, and does
  // not where a gain that is worth accepting (AcceptanceSettings::min_improvement) is ruled out.
  enum class Holds : std::uint8_t { kUndecided, kYes, kNo };
  Holds holds = Holds::kUndecided;
  double ratio = 1;           // over the baseline there, lower is better
  search::Interval interval;  // 95 % of `ratio`
  int pairs = 0;
};

// A device, a node or a kind of device.
struct PlaceStanding {
  std::string name;  // Device::key(), the node's, Device::kind()
  std::vector<std::string> devices;
  // Its baseline's cost over that of the fastest place, 1 for that one; geometric mean of its
  // devices. nullopt where a figure is not positive.
  std::optional<double> pace;
  std::optional<GainThere> gain;  // of the study's best; nullopt without pairs against the baseline
};

// The best of one kind of device.
struct KindStanding {
  struct Best {
    search::TrialId trial;
    search::Configuration configuration;
    double ratio = 1;
    search::Interval interval;
    int pairs = 0;  // 0: it was explored there, and no more
  };
  PlaceStanding place;
  // The lowest of those whose gain a hold-out shows by this kind's pairs alone, at its level over
  // the number of kinds that it took place on.
  std::optional<Best> confirmed;
  // The lowest of all others, where it is lower: by a duel's pairs, else as it was explored. Chosen
  // as the lowest of many, so it flatters, and is no claim.
  std::optional<Best> seen;
};

// How devices and nodes differ, and where the gain of the best holds.
struct DeviceMatrix {
  std::vector<PlaceStanding> devices;  // by name; empty where there is only one
  std::vector<PlaceStanding> nodes;    // likewise
  std::vector<KindStanding> kinds;     // likewise
  // Of several kinds: is the best good on all of them? kYes where its gain holds on each, kNo where
  // it does not on one.
  GainThere::Holds good_on_all = GainThere::Holds::kUndecided;
};

// The value of an objective on a device.
struct DeviceFigure {
  std::string device;
  double value = 0;
};

// `baselines`: the primary objective of each device that measured one. `best`: whose gain it is; 0
// = none. Of candidates that met the baseline by way of other incumbents the effects add up. Pure.
DeviceMatrix device_matrix_of(const History& history, const search::Problem& problem,
                              const std::vector<DeviceFigure>& baselines, search::TrialId best);

}  // namespace nightshift::scheduler
