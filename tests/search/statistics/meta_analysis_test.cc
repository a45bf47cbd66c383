#include "search/statistics/meta_analysis.h"

#include "search/statistics/shrinkage.h"
#include "tests/search/statistics/fixtures.h"

namespace nightshift::search {
namespace {

TEST(MetaAnalysis, AgreesWithTheReference) {
  const auto& entry = fixture("meta_analysis");
  const Values errors = entry["se"];
  for (const auto& c : entry["cases"]) {
    const MetaAnalysis all = meta_analysis(Values(c["effects"]), errors);
    expect_close(all.fixed, c["fixed"], "fixed");
    if (c.contains("fixed_se")) expect_close(all.fixed_error, c["fixed_se"], "fixed_se");
    expect_close(all.q, c["Q"], "Q");
    expect_close(all.q_p, c["Q_p"], "Q_p");
    expect_close(all.i_squared, c["I2"], "I2");
    expect_close(all.tau_squared, c["tau2"], "tau2");
    expect_close(all.random, c["random"], "random");
    expect_close(all.random_error, c["random_se"], "random_se");
    expect_close(all.hartung_knapp_error, c["hk_se"], "hk_se");
    expect_close({all.hartung_knapp.low, all.hartung_knapp.high}, c["hk_ci95"], "hk_ci95");
    expect_close({all.prediction.low, all.prediction.high}, c["prediction95"], "prediction95");
  }
}

void expect_nothing_known(const MetaAnalysis& all) {
  EXPECT_EQ(all.fixed, 0);
  EXPECT_EQ(all.fixed_error, kInfinity);
  EXPECT_EQ(all.random_error, kInfinity);
  EXPECT_EQ(all.q_p, 1);
  EXPECT_EQ(all.hartung_knapp.high, kInfinity);
  EXPECT_EQ(all.prediction.low, -kInfinity);
}

TEST(MetaAnalysis, OfNothingOrNonsenseKnowsNothing) {
  expect_nothing_known(meta_analysis({}, {}));
  expect_nothing_known(meta_analysis(Values{1, 2}, Values{1}));
  for (const double bad : {kNaN, kInfinity}) {
    expect_nothing_known(meta_analysis(Values{1, bad}, Values{1, 1}));
  }
  for (const double bad : {kNaN, kInfinity, 0.0, -1.0}) {
    expect_nothing_known(meta_analysis(Values{1, 2}, Values{1, bad}));
  }
}

TEST(MetaAnalysis, OfOneIsThatOne) {
  const MetaAnalysis one = meta_analysis(Values{0.02}, Values{0.005});
  EXPECT_DOUBLE_EQ(one.fixed, 0.02);
  EXPECT_DOUBLE_EQ(one.fixed_error, 0.005);
  EXPECT_DOUBLE_EQ(one.random_error, 0.005);
  EXPECT_EQ(one.q_p, 1);
  EXPECT_EQ(one.tau_squared, 0);
  EXPECT_EQ(one.hartung_knapp.low, -kInfinity);
}

TEST(MetaAnalysis, OfTwoHasNoPrediction) {
  const MetaAnalysis two = meta_analysis(Values{1, 3}, Values{1, 1});
  EXPECT_DOUBLE_EQ(two.random, 2);
  EXPECT_DOUBLE_EQ(two.q, 2);
  EXPECT_DOUBLE_EQ(two.tau_squared, 1);  // (Q - 1) / (2 - 2/2)
  EXPECT_DOUBLE_EQ(two.i_squared, 0.5);
  EXPECT_NEAR(two.hartung_knapp.high, 2 + 12.706204736174705, 1e-9);
  EXPECT_EQ(two.prediction.high, kInfinity);
}

TEST(MetaAnalysis, OfEqualEffectsSeesNoHeterogeneity) {
  const MetaAnalysis equal = meta_analysis(Values{0.1, 0.1, 0.1}, Values{0.01, 0.02, 0.03});
  EXPECT_EQ(equal.fixed, 0.1);
  EXPECT_EQ(equal.q, 0);
  EXPECT_EQ(equal.q_p, 1);
  EXPECT_EQ(equal.i_squared, 0);
  EXPECT_EQ(equal.tau_squared, 0);
  EXPECT_EQ(equal.hartung_knapp.low, 0.1);
  EXPECT_LT(equal.prediction.low, 0.1);
}

TEST(MetaAnalysis, OffsetAndScaleDoNotMatter) {
  const Values effects = {1, 4, 2, 9};
  const Values errors = {1, 2, 1, 0.5};
  const MetaAnalysis plain = meta_analysis(effects, errors);
  const MetaAnalysis far = meta_analysis(shifted(effects, 1e9), errors);
  EXPECT_NEAR(far.q, plain.q, 1e-6);
  EXPECT_NEAR(far.tau_squared, plain.tau_squared, 1e-5);
  EXPECT_NEAR(far.random - 1e9, plain.random, 1e-6);
  for (const double scale : {1e-150, 1e150}) {
    Values x = effects, se = errors;
    for (double& v : x) v *= scale;
    for (double& v : se) v *= scale;
    EXPECT_NEAR(meta_analysis(x, se).q_p, plain.q_p, 1e-12) << scale;
    EXPECT_NEAR(meta_analysis(x, se).random / scale, plain.random, 1e-12) << scale;
  }
  // Differences beyond all bounds: nothing is known, but nothing is NaN either.
  EXPECT_FALSE(std::isnan(meta_analysis(Values{1e300, -1e300}, Values{1e-300, 1e-300}).random));
}

TEST(Shrinkage, AgreesWithTheReference) {
  const auto& entry = fixture("empirical_bayes_shrinkage");
  const Values effects = entry["effects"];
  const Values errors = entry["se"];
  const Prior prior = prior_of(effects, errors);
  expect_close(prior.mean, entry["expect"]["mu"], "mu");
  expect_close(prior.variance, entry["expect"]["tau2"], "tau2");
  for (std::size_t i = 0; i < effects.size(); ++i) {
    const Shrunken shrunken = shrink(effects[i], errors[i], prior);
    expect_close(shrunken.mean, entry["expect"]["shrunken"][i], "shrunken");
    expect_close(shrunken.sd, entry["expect"]["posterior_sd"][i], "sd");
  }
}

TEST(Shrinkage, WithoutAPriorLeavesTheEffect) {
  for (const Prior& prior : {prior_of({}, {}), prior_of(Values{1}, Values{1}),
                             prior_of(Values{1, kNaN}, Values{1, 1})}) {
    EXPECT_EQ(prior.variance, kInfinity);
    EXPECT_EQ(shrink(0.3, 0.1, prior).mean, 0.3);
    EXPECT_EQ(shrink(0.3, 0.1, prior).sd, 0.1);
  }
}

TEST(Shrinkage, TwoEffectsMakeAPrior) {
  const Prior prior = prior_of(Values{1, 3}, Values{1, 1});
  EXPECT_DOUBLE_EQ(prior.mean, 2);
  EXPECT_DOUBLE_EQ(prior.variance, 1);
}

TEST(Shrinkage, OfEqualCandidatesIsTheirMean) {
  const Prior prior = prior_of(Values{0.1, 0.1, 0.1}, Values{0.1, 0.2, 0.1});
  EXPECT_EQ(prior.variance, 0);
  EXPECT_EQ(shrink(5, 0.1, prior).mean, 0.1);
  EXPECT_EQ(shrink(5, 0.1, prior).sd, 0);
}

TEST(Shrinkage, AtItsEnds) {
  const Prior prior{1, 4};
  EXPECT_EQ(shrink(7, 0, prior).mean, 7);
  EXPECT_EQ(shrink(7, 0, prior).sd, 0);
  EXPECT_EQ(shrink(7, 0, Prior{1, 0}).mean, 7);
  EXPECT_DOUBLE_EQ(shrink(7, 2, prior).mean, 4);
  EXPECT_DOUBLE_EQ(shrink(7, 2, prior).sd, std::sqrt(2));
  for (const double bad : {kNaN, kInfinity, -1.0}) {
    EXPECT_EQ(shrink(7, bad, prior).mean, 1);
    EXPECT_EQ(shrink(7, bad, prior).sd, 2);
  }
  EXPECT_EQ(shrink(kNaN, 1, prior).mean, 1);
}

}  // namespace
}  // namespace nightshift::search
