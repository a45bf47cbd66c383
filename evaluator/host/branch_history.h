#pragma once

#include <cstdint>

namespace nightshift::evaluator {

// Makes the core forget what it has learned of branches, by a million that nobody can predict (4 to
// 8 ms on an AMD EPYC). A kernel whose branches depend on its inputs is up to six times as fast on
// 16,384 inputs that it has seen some times as on others: the predictor knows them by heart. After
// this it knows neither.
//
// `random`: whatever it was left at by the call before, at first any number but 0.
void forget_branches(std::uint64_t& random);

}  // namespace nightshift::evaluator
