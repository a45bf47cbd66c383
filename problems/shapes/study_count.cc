#include "problems/shapes/study_count.h"

#include <optional>

#include "base/wide.h"

namespace nightshift::problems {
namespace {

// nullopt where it is beyond 128 bits.
std::optional<base::Wide> studies_of(const StudyProduct& product) {
  base::Wide count = product.shapes;
  for (const std::size_t values : product.lists) {
    if (values > 0 && count > ~base::Wide{0} / values) return std::nullopt;
    count *= values;
  }
  return count;
}

std::string what_to_do(const StudyProduct& product) {
  if (product.lists.empty()) return "; take fewer shapes, or several batch files";
  return product.shapes > 1
             ? "; take fewer shapes, or leave out values of 'each', which makes all combinations"
             : "; leave out values of 'each', which makes all combinations, or list those that are "
               "meant under 'shapes'";
}

}  // namespace

std::string flaw_of_product(const StudyProduct& product, std::size_t so_far) {
  const std::optional<base::Wide> count = studies_of(product);
  if (count && so_far <= kMostStudies && *count <= kMostStudies - so_far) return {};
  const std::string number = count ? base::to_string(*count) : "more than 2^128";
  const std::string others =
      so_far > 0 ? " beside " + std::to_string(so_far) + " others of this file" : "";
  return "study '" + product.name + "' would become " + number +
         (number == "1" ? " study" : " studies") + others + ", and a batch has at most " +
         std::to_string(kMostStudies) + what_to_do(product);
}

}  // namespace nightshift::problems
