#pragma once

namespace nightshift::evaluator {

// After its samples a configuration is called again, each time on fresh outputs, and each answer is
// checked: for this share of the time that samples took, at least once and this often at most. So
// a call in a hundred that is wrong is found where calls are short, and seldom where few fit in.
inline constexpr double kShareOfChecks = 0.05;
inline constexpr int kMostChecks = 200;

}  // namespace nightshift::evaluator
