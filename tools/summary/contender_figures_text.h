#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "scheduler/ranking.h"
#include "search/configuration.h"
#include "search/problem.h"

namespace nightshift::tools {

// What reports on two and on several contenders have in common. All pure.

using ContenderRecords = std::vector<scheduler::Ranking::Record>;

// Figures of one objective of one contender, in the order in which they were measured; on all
// devices or on one.
std::vector<double> evaluations_of(const ContenderRecords& records, std::size_t contender,
                                   std::size_t objective, std::ptrdiff_t device = -1);

// "time 2.10 % lower [1.90 %, 2.30 %]" of a ratio with its interval: the ends along the change,
// negative where the interval crosses zero. A ratio is of costs, lower is better.
std::string change_text(const search::Objective& objective, double ratio,
                        const search::Interval& interval);

// "time 5.081 ms [5.07, 5.09] ms": the median of evaluations with its interval.
std::string figure_text(const std::vector<double>& values, const search::Objective& objective);
// Of each objective of the problem.
std::vector<std::string> figure_cells(const search::Problem& problem,
                                      const ContenderRecords& records, std::size_t contender);

// {name, configuration, objectives {name: {value, unit, interval}}}; the configuration is null
// where it is a program of its own.
nlohmann::ordered_json contender_json(const search::Problem& problem, const std::string& name,
                                      const search::Configuration& configuration,
                                      bool with_configuration, const ContenderRecords& records,
                                      std::size_t contender);

// {name, unit, direction} of what is judged.
nlohmann::ordered_json objective_json(const search::Objective& objective);

// "256 evaluations on vm/cpu:1 in 11 s; --seed 17 repeats their order."
std::string measured_text(std::size_t evaluations, const std::vector<scheduler::Device>& devices,
                          double seconds, std::uint64_t seed);

}  // namespace nightshift::tools
