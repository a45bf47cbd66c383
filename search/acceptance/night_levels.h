#pragma once

#include <cstdint>

namespace nightshift::search {

// The error level of the `number`-th confirmation of a night (from 1), so that with probability
// 1 - `total` nothing is accepted that is no better, however many come: the sum of all levels is
// `total`. Nine tenths are shared equally by the first `expected`; the k-th one beyond has
// 1 / (k (k + 1)) of what is left.
//
// The levels depend on nothing that was measured, so that candidates may be made from what came of
// earlier ones. Rejected: procedures that give level back for each acceptance (LOND, LORD, e-LOND:
// Javanmard and Montanari 2018, Xu and Ramdas 2024). They hold the share of false ones among all
// that are accepted; of what is built upon, one after the other, the first false one spoils the
// rest.
double night_level(double total, std::uint64_t number, std::uint64_t expected);

// AcceptanceSettings::duel_margin of a night. One evaluation of each chooses who meets whom: on
// machines that others use too it may be off by tens of percent, and the first look of a duel costs
// little.
inline constexpr double kNightDuelMargin = 0.3;

}  // namespace nightshift::search
