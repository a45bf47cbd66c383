#include "base/portable_math.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace nightshift::base {

namespace {

constexpr double kLogTwo = 0.69314718055994531;
constexpr std::uint64_t kMantissaBits = 52;

}  // namespace

// log(m 2^e) = e log 2 + 2 artanh((m-1)/(m+1)), m in [sqrt(1/2), sqrt(2)).
double portable_log(double x) {
  // The bits of sqrt(1/2), subtracted, move the boundary between two exponents there.
  constexpr std::uint64_t kRootHalf = 0x3FE6A09E667F3BCDU;
  const std::uint64_t shifted = std::bit_cast<std::uint64_t>(x) - kRootHalf;
  const auto exponent = static_cast<std::int64_t>(shifted) >> kMantissaBits;
  const std::uint64_t mantissa = (shifted & ((std::uint64_t{1} << kMantissaBits) - 1)) + kRootHalf;
  const double m = std::bit_cast<double>(mantissa);
  const double s = (m - 1) / (m + 1);
  const double z = s * s;
  double series = 1.0 / 19;
  series = series * z + 1.0 / 17;
  series = series * z + 1.0 / 15;
  series = series * z + 1.0 / 13;
  series = series * z + 1.0 / 11;
  series = series * z + 1.0 / 9;
  series = series * z + 1.0 / 7;
  series = series * z + 1.0 / 5;
  series = series * z + 1.0 / 3;
  return static_cast<double>(exponent) * kLogTwo + (2 * s + 2 * s * (series * z));
}

// exp(k log 2 + r) = 2^k exp(r), |r| <= log(2)/2, by its series.
double portable_exp(double x) {
  if (x < -700) return 0;
  constexpr double kLogTwoHigh = 0x1.62e42fefa0000p-1;  // exact when multiplied by |k| < 2^11
  constexpr double kLogTwoLow = 0x1.cf79abc9e3b3ap-40;
  const double k = std::floor(x / kLogTwo + 0.5);
  const double r = (x - k * kLogTwoHigh) - k * kLogTwoLow;
  double series = 1;
  for (int term = 13; term >= 1; --term) series = 1 + series * r / term;
  return std::ldexp(series, static_cast<int>(k));
}

}  // namespace nightshift::base
