#include "tools/table/table_measuring.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/rng.h"
#include "problems/problem_file.h"
#include "scheduler/block_evaluations.h"
#include "scheduler/errors.h"
#include "search/table/table_rule.h"
#include "tools/compare/contest.h"
#include "tools/table/kept/size_free.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using scheduler::Contender;
using Kind = StoredMeasurement::Kind;

constexpr std::size_t kAhead = 4;  // shapes that are built while the first of them is measured

}  // namespace

TableMeasuring::TableMeasuring(const TableBatch& batch,
                               const std::vector<search::Configuration>& candidates,
                               TableStore& store, TableDevices& devices, TableMeasuringTerms terms)
    : batch_(batch),
      candidates_(candidates),
      store_(store),
      held_(devices),
      terms_(terms),
      codes_(batch.studies.size()),
      blocks_(batch.studies.size(), std::vector<int>(candidates.size())),
      dropped_(batch.studies.size()),
      why_(batch.studies.size()) {
  held_.wait_until(terms_.end);
  for (const search::Configuration& c : candidates) keys_.push_back(c.to_json());
  for (std::size_t s = 0; s < batch.studies.size(); ++s) {
    search::MatrixColumn& column = columns_.emplace_back();
    column.shape = batch.studies[s].shape;
    column.cells.resize(candidates.size());
    const search::ParameterSpace space = problems::make_space(batch.studies[s].problem);
    for (std::size_t c = 1; c < candidates.size(); ++c) {
      column.cells[c].failed = !space.index_of(candidates[c]);
    }
    take_stored(s);
  }
}

std::string TableMeasuring::name_of(std::size_t candidate) const {
  return candidate == 0 ? "the default" : format_configuration(candidates_[candidate]);
}

bool TableMeasuring::is_late() const { return terms_.end && clock_.now() >= *terms_.end; }

void TableMeasuring::take_stored(std::size_t shape) {
  for (const StoredMeasurement& block :
       store_.blocks_of(search::text_of(columns_[shape].shape.sizes))) {
    const auto own = block.artifacts.find(key(0));
    bool counts = false;
    for (std::size_t c = 1; c < candidates_.size(); ++c) {
      search::MatrixCell& its = cell(shape, c);
      if (block.failed.contains(key(c))) its.failed = true;
      const auto effect = block.effects.find(key(c));
      if (its.failed || effect == block.effects.end()) continue;
      const auto code = block.artifacts.find(key(c));
      its.same_as_default = own != block.artifacts.end() && !own->second.empty() &&
                            code != block.artifacts.end() && code->second == own->second;
      take_effect(shape, c, effect->second);
      counts = true;
    }
    reused_ += counts ? 1 : 0;
  }
}

void TableMeasuring::take_effect(std::size_t shape, std::size_t candidate, double effect) {
  ++blocks_[shape][candidate];
  search::MatrixCell& its = cell(shape, candidate);
  if (!its.same_as_default) its.effects.push_back(effect);
}

void TableMeasuring::fail(std::size_t shape, std::size_t candidate, const std::string& reason) {
  cell(shape, candidate).failed = true;
  cell(shape, candidate).effects.clear();
  notices_.push_back(search::text_of(columns_[shape].shape.sizes) + ": " + one_line(reason));
}

void TableMeasuring::drop_shape(std::size_t shape, const std::string& reason) {
  dropped_[shape] = true;
  why_[shape] = one_line(reason);
  for (search::MatrixCell& its : columns_[shape].cells) its = {{}, false, true};
  notices_.push_back(search::text_of(columns_[shape].shape.sizes) +
                     " keeps the default: " + one_line(reason));
}

std::vector<std::size_t> TableMeasuring::running(std::size_t shape) const {
  std::vector<std::size_t> left{0};
  for (std::size_t c = 1; c < candidates_.size(); ++c) {
    if (!columns_[shape].cells[c].failed) left.push_back(c);
  }
  return left;
}

// Those that have too few blocks, behind the default.
std::vector<std::size_t> TableMeasuring::lacking(std::size_t shape) const {
  std::vector<std::size_t> left = running(shape);
  std::erase_if(left, [&](std::size_t c) { return c != 0 && blocks_[shape][c] >= terms_.blocks; });
  return left;
}

std::vector<Contender> TableMeasuring::contenders(
    std::size_t shape, const std::vector<std::size_t>& candidates) const {
  std::vector<Contender> all;
  for (const std::size_t c : candidates) {
    const auto code = codes_[shape].artifacts.find(c);
    all.push_back(
        {name_of(c), candidates_[c], code == codes_[shape].artifacts.end() ? "" : code->second});
  }
  return all;
}

// Where sizes are no part of what is built, what one shape has is everybody's.
void TableMeasuring::share_code(std::size_t shape) {
  if (!is_built_without_sizes(batch_.studies[shape].problem)) return;
  Code& code = codes_[shape];
  code.artifacts.insert(shared_.artifacts.begin(), shared_.artifacts.end());
  code.reference = shared_.reference;
}

std::vector<std::size_t> TableMeasuring::unbuilt(std::size_t shape,
                                                 const std::vector<std::size_t>& candidates) const {
  std::vector<std::size_t> missing;
  for (const std::size_t c : candidates) {
    const bool failed = columns_[shape].cells[c].failed;
    if (!codes_[shape].artifacts.contains(c) && !failed) missing.push_back(c);
  }
  return missing;
}

std::vector<Contender> TableMeasuring::to_build(const std::vector<std::size_t>& candidates) const {
  std::vector<Contender> all;
  for (const std::size_t c : candidates) all.push_back({name_of(c), candidates_[c]});
  return all;
}

void TableMeasuring::build_ahead(std::size_t shape, const std::vector<std::size_t>& candidates) {
  if (dropped_[shape] || !search::needs_build(batch_.studies[shape].problem)) return;
  const std::vector<std::size_t> missing = unbuilt(shape, candidates);
  if (missing.empty()) return;
  held_.build_ahead(batch_.studies[shape], to_build(missing), folder_);
}

// False where a signal stopped it, or the shape was dropped.
bool TableMeasuring::build(std::size_t shape, const std::vector<std::size_t>& candidates) {
  const search::Problem& problem = batch_.studies[shape].problem;
  if (!search::needs_build(problem)) return true;
  share_code(shape);
  Code& code = codes_[shape];
  std::vector<std::size_t> missing = unbuilt(shape, candidates);
  while (!missing.empty()) {
    try {
      const auto built = held_.built(batch_.studies[shape], to_build(missing), folder_,
                                     "building " + search::text_of(columns_[shape].shape.sizes));
      stopped_ = stopped_ || !built;
      if (!built) return false;
      for (std::size_t i = 0; i < missing.size(); ++i) {
        code.artifacts[missing[i]] = built->contenders[i];
      }
      code.reference = built->reference;
      if (is_built_without_sizes(problem)) shared_ = code;
      return true;
    } catch (const scheduler::ContenderFailed& failed) {
      const std::size_t which = missing[failed.contender()];
      if (which == 0) return drop_shape(shape, failed.what()), false;
      fail(shape, which, failed.what());
      missing.erase(missing.begin() + static_cast<std::ptrdiff_t>(failed.contender()));
    } catch (const scheduler::StudyError& error) {
      return drop_shape(shape, error.what()), false;
    }
  }
  return true;
}

// Of equal machine code the first; what has the default's is none.
std::vector<std::size_t> TableMeasuring::distinct(std::size_t shape,
                                                  const std::vector<std::size_t>& of) {
  std::vector<std::size_t> kept;
  std::set<std::string> seen;
  for (const std::size_t c : of) {
    const auto code = codes_[shape].artifacts.find(c);
    const bool is_known = code != codes_[shape].artifacts.end() && !code->second.empty();
    if (is_known && c != 0 && code->second == codes_[shape].artifacts[0]) {
      cell(shape, c).same_as_default = true;
    } else if (!is_known || seen.insert(code->second).second) {
      kept.push_back(c);
    }
  }
  return kept;
}

// The effects of a block by candidate: also of those that have the machine code of one that was
// measured, or of the default.
std::map<std::size_t, double> TableMeasuring::spread(std::size_t shape,
                                                     const std::vector<std::size_t>& measured,
                                                     const std::vector<double>& effects) const {
  std::map<std::size_t, double> all;
  const auto& codes = codes_[shape].artifacts;
  for (const std::size_t c : lacking(shape)) {
    if (c == 0) continue;
    if (columns_[shape].cells[c].same_as_default) all[c] = 0;
    for (std::size_t i = 0; i < measured.size() && !all.contains(c); ++i) {
      const bool same = measured[i] == c || (codes.contains(c) && codes.contains(measured[i]) &&
                                             codes.at(c) == codes.at(measured[i]));
      if (same) all[c] = effects[i];
    }
  }
  return all;
}

void TableMeasuring::store_block(std::size_t shape, const std::vector<std::size_t>& measured,
                                 const std::vector<double>& effects) {
  StoredMeasurement block;
  block.kind = Kind::kBlock;
  block.shape = search::text_of(columns_[shape].shape.sizes);
  for (const auto& [c, hash] : codes_[shape].artifacts) block.artifacts[key(c)] = hash;
  for (std::size_t c = 1; c < candidates_.size(); ++c) {
    if (cell(shape, c).failed) block.failed[key(c)] = "it does not run there";
  }
  for (const auto& [c, effect] : spread(shape, measured, effects)) {
    block.effects[key(c)] = effect;
    take_effect(shape, c, effect);
  }
  store_.add(std::move(block));
}

// False where a signal stopped it.
bool TableMeasuring::measure_blocks(std::size_t shape, const std::vector<std::size_t>& measured) {
  const search::Problem& problem = batch_.studies[shape].problem;
  const auto contest = held_.contest(batch_.studies[shape], problem, folder_);
  devices_ = contest->devices();
  std::vector<Contender> all = contenders(shape, measured);
  int blocks = 0;  // that the one with the fewest lacks
  for (const std::size_t c : measured) {
    if (c != 0) blocks = std::max(blocks, terms_.blocks - blocks_[shape][c]);
  }
  int done = 0;
  scheduler::BlockEvaluations::Parts parts{
      problem, devices_, {}, blocks, 1, {}, [this] { return is_late(); }};
  for (const Contender& c : all) parts.names.push_back(c.name);
  parts.seed = base::mix_seed(terms_.seed, shape * 64 + store_.size());
  parts.done = [&](const scheduler::MeasuredBlock& block) {
    store_block(shape, measured, block.effects);
    ++done;
    evaluations_ += measured.size() + 1;
  };
  scheduler::BlockEvaluations plan(parts);
  const bool ended = contest->run(
      plan, with_reference(problem, std::move(all)),
      [&] {
        return fmt::format("matrix: shape {} of {}, block {} of {}", shape + 1, columns_.size(),
                           done + 1, blocks);
      },
      codes_[shape].reference);
  if (!plan.trouble().empty()) {
    notices_.push_back(plan.trouble());
    if (done < blocks) why_[shape] = one_line(plan.trouble());
  }
  return ended;
}

// Nodes may come back, or be others; this machine's devices do not. False where no time is left for
// that.
bool TableMeasuring::goes_on_elsewhere(int& losses, const std::string& why) const {
  constexpr int kMost = 7;
  if (!held_.are_of_nodes() || ++losses > kMost) throw scheduler::DeviceError(why);
  return !is_late();
}

// False where a signal stopped it.
bool TableMeasuring::measure_shape(std::size_t shape) {
  int losses = 0;
  while (!dropped_[shape]) {
    std::vector<std::size_t> measured;
    try {
      const std::vector<std::size_t> left = lacking(shape);
      if (left.size() < 2) return true;
      if (!build(shape, left)) return !stopped_;
      measured = distinct(shape, lacking(shape));
      if (measured.size() < 2) {
        while (lacking(shape).size() > 1) store_block(shape, {}, {});
        return true;
      }
      return measure_blocks(shape, measured);
    } catch (const scheduler::DeviceError& error) {
      if (!goes_on_elsewhere(losses, error.what())) return true;
    } catch (const scheduler::ContenderFailed& failed) {
      if (failed.contender() == 0 || failed.contender() >= measured.size()) {
        drop_shape(shape, failed.what());
      } else {
        fail(shape, measured[failed.contender()], failed.what());
      }
    } catch (const scheduler::StudyError& error) {
      drop_shape(shape, error.what());
    }
  }
  return true;
}

bool TableMeasuring::measure_matrix() {
  for (std::size_t s = 0; s < columns_.size() && !stopped_ && !is_late(); ++s) {
    for (std::size_t next = s; next < std::min(s + kAhead, columns_.size()); ++next) {
      const std::vector<std::size_t> left = lacking(next);
      if (left.size() > 1) build_ahead(next, left);
    }
    if (!measure_shape(s)) stopped_ = true;
  }
  for (std::size_t s = 0; s < columns_.size() && is_late(); ++s) {
    if (!dropped_[s] && lacking(s).size() > 1) why_[s] = kLate;
  }
  return !stopped_;
}

}  // namespace nightshift::tools
