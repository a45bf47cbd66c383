#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "search/searcher.h"
#include "search/searchers/cost.h"
#include "search/searchers/moves.h"
#include "search/searchers/notebook.h"
#include "search/searchers/space_filling.h"

namespace nightshift::search {

// What options are that all of them have.
inline constexpr std::string_view kSamplesMeaning =
    "configurations spread over the space at the beginning of a run";
inline constexpr std::string_view kPatienceMeaning =
    "trials without a gain beyond noise that end a run; 0: it never ends";

// What the searchers without a model have in common. They make one proposal after the other, each
// from what is known by then, so that any number may be outstanding and none waits for a
// generation to end.
//
// A search consists of runs. A run begins with some space-filling samples and goes on with the
// moves of the method; when nothing has been gained for long, the next one begins elsewhere. Fewer
// samples are drawn where others are told of. What an earlier run has asked for, and is told late,
// is for the present run only where it is better than everything before.
//
// What was proposed and told stands in a Notebook.
class StepwiseSearcher : public Searcher {
 public:
  std::vector<ConfigurationIndex> ask(std::size_t n) final;
  void tell(ConfigurationIndex configuration, const Observation& observation) final;

 protected:
  struct Habits {
    std::size_t samples;   // at the beginning of a run
    std::size_t patience;  // tells without a gain beyond noise that end a run; 0: it never ends
  };
  // `tag` comes back with the tell: which member of a population it is for, say.
  struct Proposal {
    ConfigurationIndex configuration;
    std::size_t tag = 0;
  };
  struct Told {
    ConfigurationIndex configuration;
    Cost cost;
    const Observation& observation;
    std::optional<std::size_t> tag;  // nullopt: a sample, or not asked for by this run
  };

  StepwiseSearcher(const ParameterSpace& space, const SearcherSettings& settings, Habits habits);

  // A move of the method, made new by take() or take_near(). nullopt where it has none, since
  // nothing is known yet or nothing is left: a sample is proposed in its place.
  virtual std::optional<Proposal> propose() = 0;
  // Also called when a configuration is told of again.
  virtual void learn(const Told& told) = 0;
  // Forget the run that ends.
  virtual void forget() = 0;

  void begin_run();
  // Moves of this run that are outstanding: before they are told of, it is not stuck.
  std::size_t moves_due() const { return moves_due_; }
  // False where it was proposed or told of before.
  bool take(ConfigurationIndex configuration) { return book_.take(configuration); }
  // The configuration itself where it is new; else one that differs in a parameter, or in two, or
  // three; nullopt where all that were tried are known.
  std::optional<ConfigurationIndex> take_near(const Digits& digits);
  // nullptr: not told of yet. Valid until the next tell.
  const Cost* cost(ConfigurationIndex configuration) const;

  const ParameterSpace& space_;
  base::Rng rng_;
  Moves moves_;

 private:
  struct Asked {  // the note of what is outstanding
    std::uint64_t run;
    std::optional<std::size_t> tag;
  };

  void begin();
  bool propose_next(std::vector<ConfigurationIndex>& proposals);
  void note(std::vector<ConfigurationIndex>& proposals, ConfigurationIndex i,
            std::optional<std::size_t> tag);
  void count(const Cost& cost);

  Habits habits_;
  Notebook<Asked> book_;
  SpaceFilling filling_;
  std::vector<Cost> costs_;  // by place in the book
  bool begun_ = false;
  std::optional<ConfigurationIndex> baseline_;

  std::uint64_t run_ = 0;
  std::size_t samples_left_;
  std::size_t moves_due_ = 0;
  std::size_t without_gain_ = 0;
  Cost best_of_run_;
  double best_cost_ = std::numeric_limits<double>::infinity();
};

}  // namespace nightshift::search
