#include <gtest/gtest.h>

#include <set>

#include "search/searcher_catalogue.h"
#include "tests/search/landscapes.h"

namespace nightshift::search {
namespace {

// Rises along the first parameter are all that can be gained: whoever is asked, the gains of one
// member must be known to the others.
TEST(PortfolioSearcher, MembersShareWhatIsTold) {
  const ParameterSpace space = grid(4, 9);
  const auto searcher = make_searcher("portfolio", space, {.seed = 1});
  spend_samples(*searcher, 16, 10);
  const ConfigurationIndex best = at(space, {4, 4, 4, 4});
  searcher->tell(best, {Score{1, 0}});
  int near = 0;
  for (const ConfigurationIndex next : searcher->ask(12)) {
    near += differing(space, next, best) <= 2 ? 1 : 0;
  }
  EXPECT_GE(near, 4);  // of samples that are drawn uniformly, one in 20
}

// Annealing takes single steps; where only these gain, it is asked more often than one time in
// three.
TEST(PortfolioSearcher, AsksWhoGains) {
  const ParameterSpace space = grid(6, 9);
  int steps = 0;
  int all = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto searcher = make_searcher("portfolio", space, {.seed = seed});
    ConfigurationIndex best = at(space, {4, 4, 4, 4, 4, 4});
    searcher->tell(best, {Score{1, 0}});
    double cost = 1;
    for (int i = 0; i < 100; ++i) {
      const ConfigurationIndex next = searcher->ask(1).front();
      const bool is_step = differing(space, next, best) == 1;
      if (is_step) cost *= 0.99;
      searcher->tell(next, {Score{is_step ? cost : 3, 0}});
      if (is_step) best = next;
      if (i < 40) continue;
      ++all;
      steps += is_step ? 1 : 0;
    }
  }
  EXPECT_GT(steps, all / 2);
}

}  // namespace
}  // namespace nightshift::search
