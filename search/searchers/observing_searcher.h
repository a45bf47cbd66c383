#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "search/model/feasibility.h"
#include "search/model/one_hot.h"
#include "search/model/prior.h"
#include "search/searcher.h"
#include "search/searchers/notebook.h"

namespace nightshift::search {

// What options are that several of them have.
inline constexpr std::string_view kStartTrialsMeaning =
    "plausible configurations far from each other, before the model decides";
inline constexpr std::string_view kTreesMeaning = "of the forest";
inline constexpr std::string_view kBatchMeaning =
    "proposals at most that are made of one fit of the model";

// A model fitted to `told` observations is good for so many more: one at first, then a share of
// them, so that the effort per trial stays the same while they grow.
inline std::size_t refit_interval(std::size_t told) { return 1 + told / 40; }

// What the searchers that fit a model have in common: they remember every observation as a row
// beside their Notebook, begin with plausible configurations far from each other, and fall back
// on random ones, so that a device never waits for a model.
class ObservingSearcher : public Searcher {
 public:
  ObservingSearcher(const ParameterSpace& space, const SearcherSettings& settings,
                    std::size_t start_count);

  std::vector<ConfigurationIndex> ask(std::size_t n) final;
  void tell(ConfigurationIndex configuration, const Observation& observation) final;

 protected:
  using Digits = std::vector<std::uint32_t>;

  struct Record {
    ConfigurationIndex configuration;
    Digits digits;
    bool works = false;
    double cost = 0;   // natural logarithm of the score; meaningful where it works
    double error = 0;  // standard error of `cost`
    bool censored = false;
    std::size_t epoch = 0;  // in which it was proposed, or told of where nobody proposed it
  };

  // Fits the model to records() and ranking(), neither of which is empty. Called before propose()
  // where more was told since the last time than a model is good for.
  virtual void learn() = 0;
  // The next proposals of the model, best first, not yet marked as seen; may be empty: random ones
  // are proposed then. Called where the last answer is used up, or learn() was called since.
  virtual std::vector<ConfigurationIndex> propose() = 0;
  // Tells after which learn() is called again.
  virtual std::size_t good_for() const { return refit_interval(records_.size()); }

  const ParameterSpace& space_;
  const OneHot encoding_;
  base::Rng rng_;
  const ProposalPrior guess_;

  const std::vector<Record>& records() const { return records_; }
  // Positions in records() of those that worked, lowest cost first.
  const std::vector<std::size_t>& ranking() const { return ranking_; }
  // The note of what is outstanding.
  struct Proposal {
    Digits digits;
    std::size_t epoch = 0;
  };
  const Notebook<Proposal>& book() const { return book_; }
  Feasibility& feasibility() { return feasibility_; }

  // A new beginning: the next `starts` proposals lie far from each other again. From learn() only.
  void begin_epoch(std::size_t starts);
  std::size_t epoch() const { return epoch_; }

 private:
  std::optional<ConfigurationIndex> next();
  std::optional<ConfigurationIndex> next_queued();
  std::optional<ConfigurationIndex> far_from_known();
  void rank(std::size_t record);

  std::size_t start_count_;
  std::size_t epoch_ = 0;
  Notebook<Proposal> book_;
  std::vector<Digits> begun_with_;  // what far_from_known() keeps away from
  std::vector<Record> records_;     // by place in the book
  std::vector<std::size_t> ranking_;
  Feasibility feasibility_;

  std::vector<ConfigurationIndex> queue_;  // of propose(), the next at the end
  std::size_t told_since_ = 0;             // learn() was called
  bool has_learnt_ = false;
};

}  // namespace nightshift::search
