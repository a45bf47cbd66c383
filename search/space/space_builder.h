#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "search/space/check_diagram.h"
#include "search/space/space_group.h"
#include "search/space/space_parts.h"

namespace nightshift::search {

// Builds the groups of the space that some parts leave.
class SpaceBuilder {
 public:
  // What becomes of the combinations for which part i cannot be evaluated; nullopt leaves the part
  // out.
  using Choice = std::function<std::optional<Failing>(std::size_t i)>;
  enum class Result : std::uint8_t {
    kBuilt,
    kEmpty,
    kTooLarge,  // without permission for implicit groups
  };

  SpaceBuilder(std::shared_ptr<const SpaceParts> parts, const Choice& choice, Effort& effort,
               bool implicit_allowed);
  Result run();  // throws SpaceError

  std::vector<std::unique_ptr<SpaceGroup>> take_groups() { return std::move(groups_); }
  const std::vector<std::unique_ptr<SpaceGroup>>& groups() const { return groups_; }
  // Parts that somewhere could not be evaluated.
  const std::vector<std::size_t>& failed() const { return failed_; }

 private:
  using Members = std::vector<std::uint32_t>;  // parameters, or parts

  bool prune_values();
  std::vector<Members> components() const;
  Result build_group(const Members& parameters);
  Members parts_over(const Members& parameters) const;
  Members order_of(const Members& parameters, const Members& parts) const;
  void note_free_parameters();
  CheckDiagram check_for(std::size_t part, Members order) const;
  std::vector<CheckDiagram> checks_for(const Members& order, const Members& parts);
  bool reduce(CheckDiagram& check, std::size_t part);
  void add_diagram(std::vector<SpaceDiagram::Layer> layers);
  double combinations(const Members& parameters) const;

  std::shared_ptr<const SpaceParts> parts_;
  Effort& effort_;
  bool implicit_allowed_;
  std::vector<std::optional<Failing>> failing_;  // by part
  std::vector<bool> open_;                       // by part: not settled yet
  std::vector<Members> free_;                    // by part: parameters with a choice left
  Domains domains_;
  std::vector<std::unique_ptr<SpaceGroup>> groups_;
  std::vector<std::size_t> failed_;
};

}  // namespace nightshift::search
