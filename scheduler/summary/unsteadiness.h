#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "scheduler/journal/history.h"
#include "search/problem.h"
#include "search/statistics/interval.h"

namespace nightshift::scheduler {

// How far the same code moved while a study ran: its baseline, evaluated again and again.
struct Unsteadiness {
  std::string device;           // where it was worst
  double share = 0;             // see slow_scatter(), as a share of the figure
  std::size_t evaluations = 0;  // of the baseline there
};

// Of levels in the order of their times: half of what 95 % of them lie within, what scatters from
// one to the next left out: 1.96 times the root of their variance less half of the mean squared
// successive difference (von Neumann 1941). 0 where the two do not differ at 1 %, or there are
// fewer than eight levels.
double slow_scatter(std::span<const double> levels);

// Of the devices on which the baseline moved by more than the claim's interval is to either side of
// `ratio`, and by more than `least`, a share of it (acceptance.min_improvement), the worst; nullopt
// where there is none. Pairs cancel what moves both sides alike, so
// this takes nothing from the claim for the time of the study: at another time the change may be
// another.
std::optional<Unsteadiness> unsteadiness_of(const History& history, double ratio,
                                            const search::Interval& claim, double least);

// Where the last self-test shows that even the longest duel finds only large differences (more than
// kWideSelfTest and four times acceptance.min_improvement, nine times out of ten): that, and what
// to change, for people. Empty where it does not, and of differences, which are no shares.
inline constexpr double kWideSelfTest = 0.02;
std::string wide_self_test(const History& history, const search::Problem& problem);

}  // namespace nightshift::scheduler
