#pragma once

#include "search/statistics/shrinkage.h"

namespace nightshift::search {

// Draws each screened score towards the mean of all that were screened before, by as much as its
// own error says (empirical Bayes, statistics/shrinkage.h): of many equal candidates the best one
// looks good by luck alone. Works on logarithms of scores; sums are kept, so that an addition costs
// the same after a hundred thousand (the moments of DerSimonian and Laird need no more).
class Screening {
 public:
  // Of the scores so far, this one not yet among them.
  Shrunken shrunken(double effect, double error) const;
  void add(double effect, double error);  // ignored unless finite, with an error above zero
  Prior prior() const;

 private:
  double weights_ = 0, weighted_ = 0, weighted_squares_ = 0, squared_weights_ = 0;
  std::size_t count_ = 0;
};

}  // namespace nightshift::search
