#pragma once

namespace nightshift::search {

// Logarithm of the expected improvement of a standard normal below `t` (Ament et al., 2023, for why
// the logarithm: it orders candidates where the improvement itself is zero).
double log_improvement(double t);

}  // namespace nightshift::search
