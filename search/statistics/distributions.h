#pragma once

namespace nightshift::search {

// Probabilities and quantiles, by Boost.Math, whose headers stay in one source file: they take
// seconds to compile. `upper_tail` is P(X > x), exact where 1 - cdf would be all cancellation.
//
// Nothing throws. Arguments outside their domain (df <= 0, p outside [0, 1], NaN) give NaN; an
// infinite value has probability 0 or 1; the quantiles of 0 and 1 are the ends of the support.

double normal_upper_tail(double z);
double normal_quantile(double p);
double normal_upper_quantile(double upper_tail);

// Student's t; df > 0, not only integers; infinite df is the normal distribution.
double student_upper_tail(double t, double df);
double student_quantile(double p, double df);
double student_upper_quantile(double upper_tail, double df);  // t with P(T > t) == upper_tail

// (Z + noncentrality) / sqrt(chi-squared(df) / df): what a t statistic is when there is an effect,
// so this is the power of a t test.
double noncentral_student_upper_tail(double t, double df, double noncentrality);

double chi_squared_upper_tail(double x, double df);
double f_upper_tail(double f, double df_numerator, double df_denominator);

// The number of successes in n trials of chance p.
double binomial_cdf(double k, double n, double p);  // P(X <= k)
}  // namespace nightshift::search
