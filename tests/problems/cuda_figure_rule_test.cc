#include "problems/cuda_figure_rule.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace nightshift::problems {
namespace {

using search::CudaFigure;

TEST(CudaFigureRule, EveryFigureHasOneNameAndAUnit) {
  std::set<CudaFigure> figures;
  for (const CudaFigureRule& rule : cuda_figure_rules()) {
    EXPECT_TRUE(figures.insert(rule.figure).second) << rule.name;
    EXPECT_EQ(find_cuda_figure_rule(rule.name), &rule);
    ASSERT_FALSE(rule.units.empty()) << rule.name;
    for (const FigureUnit& unit : rule.units) {
      EXPECT_EQ(units_per_base(rule.figure, unit.name), unit.per_base_unit) << rule.name;
    }
  }
  EXPECT_EQ(figures.size(), static_cast<std::size_t>(CudaFigure::kError) + 1);
}

TEST(CudaFigureRule, UnitsOfAnotherFigureAreRefused) {
  EXPECT_THROW(units_per_base(CudaFigure::kEnergy, "s"), std::runtime_error);
  EXPECT_THROW(units_per_base(CudaFigure::kRegisters, "B"), std::runtime_error);
  EXPECT_EQ(find_cuda_figure_rule("latency"), nullptr);
}

}  // namespace
}  // namespace nightshift::problems
