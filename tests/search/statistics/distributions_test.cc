#include "search/statistics/distributions.h"

#include "tests/search/statistics/fixtures.h"

namespace nightshift::search {
namespace {

TEST(Distributions, AgreeWithTheReference) {
  const auto& all = fixture("quantiles");
  for (const auto& row : all["t_ppf"]) {
    expect_close(student_quantile(row[0], row[1]), row[2], "t_ppf " + row.dump());
    expect_close(student_upper_quantile(1 - row[0].get<double>(), row[1]), row[2], row.dump());
  }
  for (const auto& row : all["t_sf"]) {
    expect_close(student_upper_tail(row[0], row[1]), row[2], "t_sf " + row.dump());
  }
  for (const auto& row : all["norm_ppf"]) {
    expect_close(normal_quantile(row[0]), row[1], "norm_ppf " + row.dump());
    expect_close(normal_upper_tail(row[1]), 1 - row[0].get<double>(), "norm_sf " + row.dump());
  }
  for (const auto& row : all["chi2_sf"]) {
    expect_close(chi_squared_upper_tail(row[0], row[1]), row[2], "chi2_sf " + row.dump());
  }
  for (const auto& row : all["noncentral_t_sf"]) {
    expect_close(noncentral_student_upper_tail(row[0], row[1], row[2]), row[3], row.dump());
  }
}

TEST(Distributions, OfTwoDegreesOfFreedomHaveClosedForms) {
  EXPECT_NEAR(chi_squared_upper_tail(3, 2), std::exp(-1.5), 1e-15);
  EXPECT_NEAR(f_upper_tail(3, 2, 2), 1.0 / (1 + 3), 1e-15);
  EXPECT_NEAR(binomial_cdf(1, 3, 0.5), 0.5, 1e-15);
}

TEST(Distributions, KeepTheirDigitsInTheTail) {
  EXPECT_NEAR(normal_upper_tail(10), 7.619853024160527e-24, 1e-35);
  EXPECT_NEAR(student_upper_tail(1e6, 2), 5e-13, 1e-22);
  EXPECT_NEAR(normal_upper_quantile(1e-20), 9.262340089798409, 1e-9);
  EXPECT_NEAR(binomial_cdf(0, 1000, 0.5), std::ldexp(1, -1000), 0);
}

TEST(Distributions, TakeInfinities) {
  EXPECT_EQ(normal_upper_tail(kInfinity), 0);
  EXPECT_EQ(student_upper_tail(kInfinity, 3), 0);
  EXPECT_EQ(student_upper_tail(-kInfinity, 3), 1);
  EXPECT_EQ(noncentral_student_upper_tail(kInfinity, 3, 1), 0);
  EXPECT_EQ(noncentral_student_upper_tail(-kInfinity, 3, 1), 1);
  EXPECT_EQ(chi_squared_upper_tail(kInfinity, 3), 0);
  EXPECT_EQ(f_upper_tail(kInfinity, 3, 4), 0);
  EXPECT_DOUBLE_EQ(student_quantile(0.975, kInfinity), normal_quantile(0.975));
  EXPECT_EQ(normal_quantile(0), -kInfinity);
  EXPECT_EQ(student_upper_quantile(0, 5), kInfinity);
  EXPECT_EQ(student_quantile(0, 5), -kInfinity);
}

TEST(Distributions, OutOfTheirDomainAreNotANumberAndDoNotThrow) {
  for (const double bad : {kNaN, -1.0}) {
    EXPECT_TRUE(std::isnan(student_upper_tail(1, bad)));
    EXPECT_TRUE(std::isnan(student_upper_quantile(bad, 3)));
    EXPECT_TRUE(std::isnan(normal_quantile(bad)));
    EXPECT_TRUE(std::isnan(chi_squared_upper_tail(1, bad)));
    EXPECT_TRUE(std::isnan(f_upper_tail(1, bad, 2)));
    EXPECT_TRUE(std::isnan(noncentral_student_upper_tail(1, bad, 2)));
    EXPECT_TRUE(std::isnan(binomial_cdf(1, 3, bad)));
  }
  EXPECT_TRUE(std::isnan(normal_upper_tail(kNaN)));
}

}  // namespace
}  // namespace nightshift::search
