#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include "base/rng.h"
#include "search/model/forest.h"
#include "search/model/one_hot.h"
#include "search/searcher.h"
#include "search/searchers/notebook.h"
#include "search/searchers/pattern_neighbours.h"

namespace nightshift::search {

// What Helion's constructors say in August 2026.
struct PublishedLfboSettings {
  bool learns = true;        // else PatternSearch: no forest, every neighbour is evaluated
  bool tree_guided = false;  // LFBOTreeSearch, else LFBOPatternSearch
  std::size_t initial_population = 100;
  std::size_t copies = 5;
  std::size_t generations = 20;
  std::size_t neighbours = 300;  // generated for a copy in a generation; LFBOTreeSearch: 200
  std::size_t radius = 2;
  double selected = 0.10;  // share of a copy's candidates that is evaluated
  double quantile = 0.1;   // of the times seen, below which a configuration is good
  double similarity_penalty = 1.0;
  double least_gain = 0.001;  // relative; below it a copy's patience is used up
  std::size_t patience = 1;
};

// PyTorch Helion's likelihood-free Bayesian optimisation as published, defects included: the
// reference that `lfbo-pattern` and `lfbo-tree` are held against. A forest learns to tell good
// configurations from others; several copies walk from the best ones on, each evaluating those
// neighbours that the forest believes in. PatternSearch, which it was made from, is the same
// without a forest: a copy evaluates each step away from its incumbent and two block sizes at once,
// and ends with the first generation that gains too little.
//
// Kept on purpose: whatever was generated as a neighbour never comes back, evaluated or not; the
// number of evaluations is truncated, so that few neighbours end a copy; the incumbent may lose
// against its neighbours' promise, and the copy moves to something worse; failures are nothing but
// slow. Left out, since tells are not repeated here: the benchmarks repeated in each generation.
//
// What the published program leaves to its surroundings is done so:
// - A generation has to be told entirely before the next begins. While it is not, further asks get
//   random configurations, which join the training data: a device never idles.
// - When all copies have ended, or the generations are used up, the whole begins again from random
//   configurations, with the observations kept.
class PublishedLfbo : public Searcher {
 public:
  PublishedLfbo(const ParameterSpace& space, const SearcherSettings& settings,
                const PublishedLfboSettings& published);

  std::vector<ConfigurationIndex> ask(std::size_t n) override;
  void tell(ConfigurationIndex configuration, const Observation& observation) override;

 private:
  using Digits = std::vector<std::uint32_t>;

  struct Copy {
    ConfigurationIndex incumbent;
    std::vector<ConfigurationIndex> candidates;  // of this generation, incumbent perhaps included
    std::size_t patience = 0;
    bool alive = true;
  };
  struct Row {
    ConfigurationIndex configuration;
    double time = 0;  // infinite for a failure
  };

  void begin();
  void advance();
  void start_copies();
  void judge(Copy& copy) const;
  void fit();
  void next_generation();
  std::vector<ConfigurationIndex> neighbours_of(ConfigurationIndex incumbent);
  std::vector<Digits> moves_of(const Digits& from);
  Digits tree_guided_move(const Digits& from);
  std::vector<ConfigurationIndex> selected_of(const std::vector<ConfigurationIndex>& candidates,
                                              std::size_t count);
  void want(ConfigurationIndex configuration);
  double time_of(ConfigurationIndex configuration) const;
  std::uint32_t radius() const { return static_cast<std::uint32_t>(published_.radius); }

  const ParameterSpace& space_;
  const PublishedLfboSettings published_;
  const OneHot encoding_;
  const PatternNeighbours moves_;
  base::Rng rng_;

  Notebook<bool> book_;    // the note: part of this generation
  std::vector<Row> rows_;  // training data, by place in the book
  std::unordered_set<ConfigurationIndex> visited_;
  Forest forest_;

  std::vector<ConfigurationIndex> starts_;      // proposed in the first population
  std::vector<ConfigurationIndex> population_;  // of the beginning
  std::vector<Copy> copies_;
  std::size_t generation_ = 0;              // 0: the initial population
  std::vector<ConfigurationIndex> wanted_;  // of this generation, the next at the end
  std::size_t awaited_ = 0;                 // of this generation, outstanding
};

}  // namespace nightshift::search
