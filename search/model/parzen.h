#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/rng.h"
#include "search/model/one_hot.h"
#include "search/parameter_space.h"

namespace nightshift::search {

// A density over configurations: the mean of one product kernel for each given configuration, and
// one uniform over all combinations, so that nothing has density zero. In an ordered parameter the
// kernel is a Gaussian over the positions in its list, cut off at the ends and normalised; in a
// choice it is Aitchison and Aitken's (1976): most of the weight on the value itself, the rest
// spread evenly. The more configurations, the narrower (Scott's rule).
class Parzen {
 public:
  using Digits = std::vector<std::uint32_t>;

  Parzen() = default;
  // The space is needed only by draw() and must live until then.
  Parzen(const ParameterSpace& space, const OneHot& kinds, std::vector<Digits> points);

  double density(std::span<const std::uint32_t> digits) const;

  // A valid configuration drawn from the density. Draws that violate a constraint are led back to
  // the configuration of their kernel, parameter by parameter in random order, until they do not.
  Digits draw(base::Rng& rng) const;

 private:
  struct Kernel {
    std::size_t parameter = 0;
    std::vector<double> weights;  // by distance from the centre, in positions
    std::vector<double> sums;     // of the weights around a centre, by centre; 0: of no point

    double weight(std::uint32_t centre, std::uint32_t digit) const {
      return weights[centre < digit ? digit - centre : centre - digit] / sums[centre];
    }
  };

  static Kernel make_kernel(std::size_t parameter, std::size_t values, bool ordered, double width);
  static double sum_around(const Kernel& kernel, std::uint32_t centre);
  std::uint32_t draw_digit(const Kernel& kernel, std::uint32_t centre, base::Rng& rng) const;
  Digits led_back(Digits digits, const Digits& centre, base::Rng& rng) const;

  const ParameterSpace* space_ = nullptr;
  std::vector<Kernel> kernels_;
  std::vector<Digits> points_;
  double uniform_ = 1;  // density of the uniform part
};

}  // namespace nightshift::search
