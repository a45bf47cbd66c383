#include "search/table/shapes_between.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>

namespace nightshift::search {
namespace {

double squared_distance(const Sizes& a, const Sizes& b) {
  double square = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double apart =
        std::log(static_cast<double>(a[i].second)) - std::log(static_cast<double>(b[i].second));
    square += apart * apart;
  }
  return square;
}

std::int64_t middle_of(std::int64_t a, std::int64_t b) {
  const std::int64_t step = std::min(a & -a, b & -b);
  const double middle = std::sqrt(static_cast<double>(a)) * std::sqrt(static_cast<double>(b));
  const auto steps = static_cast<std::int64_t>(std::llround(middle / static_cast<double>(step)));
  return std::max<std::int64_t>(1, steps) * step;
}

Sizes middle_of(const Sizes& a, const Sizes& b) {
  Sizes middle = a;
  for (std::size_t i = 0; i < a.size(); ++i) middle[i].second = middle_of(a[i].second, b[i].second);
  return middle;
}

double nearest_to(const Sizes& sizes, const std::vector<TableShape>& shapes) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const TableShape& shape : shapes) {
    nearest = std::min(nearest, squared_distance(sizes, shape.sizes));
  }
  return nearest;
}

}  // namespace

std::vector<Sizes> shapes_between(const std::vector<TableShape>& shapes, std::size_t most) {
  std::set<Sizes> known;
  for (const TableShape& shape : shapes) known.insert(shape.sizes);
  std::vector<std::pair<double, Sizes>> found;
  for (const TableShape& shape : shapes) {
    const TableShape* neighbour = nullptr;
    for (const TableShape& other : shapes) {
      if (&other == &shape) continue;
      const bool nearer =
          neighbour == nullptr || squared_distance(shape.sizes, other.sizes) <
                                      squared_distance(shape.sizes, neighbour->sizes);
      if (nearer) neighbour = &other;
    }
    if (neighbour == nullptr) continue;
    Sizes middle = middle_of(shape.sizes, neighbour->sizes);
    if (!known.insert(middle).second) continue;
    const double away = nearest_to(middle, shapes);
    found.emplace_back(away, std::move(middle));
  }
  std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Sizes> between;
  for (auto& [away, sizes] : found) {
    if (between.size() < most) between.push_back(std::move(sizes));
  }
  return between;
}

}  // namespace nightshift::search
