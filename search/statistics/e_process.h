#pragma once

#include <array>

namespace nightshift::search {

// A test that may be looked at after every pair, extended, interrupted and joined by devices that
// come late, without a cap (anytime-valid): accept when E >= 1 / alpha. By Ville's inequality an
// effect of no more than `margin` is accepted with chance at most alpha over all looks together.
//
//   E = 1/n sum over j = 0..n-1 of the product over all pairs of (1 + tanh(2^j (d - margin)))
//
// It rests on the coin that orders each pair and on nothing else: without an effect d and -d are
// equally likely, whatever the noise, so each factor has mean 1. It needs no variance, and an
// outlier at most doubles E. The pairs of several devices are multiplied inside the sum, hence
// fed into one process, in any order. d = ln(incumbent) - ln(candidate) of a pair, so ten scales 2^-j
// reach from total to 0.2 %; differences in units of their own noise need fewer. (Betting martingales: Waudby-Smith and Ramdas 2024;
// e-values: Ramdas, Gruenwald, Vovk, Shafer 2023.)
//
// Kept as sums of logarithms: a million pairs neither overflow nor vanish. A difference that is
// not finite makes E zero for good: nothing is shown.
class TanhEProcess {
 public:
  static constexpr int kMostScales = 10;

  // `scales`: from 1 to kMostScales.
  explicit TanhEProcess(double margin = 0, int scales = kMostScales)
      : margin_(margin), scales_(scales) {}

  void add(double difference);
  double log_e() const;  // natural; 0 before any pair, -infinity where E is zero

 private:
  double margin_;
  int scales_;
  std::array<double, kMostScales> log_products_{};  // of which scales_ are used
};

}  // namespace nightshift::search
