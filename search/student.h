#pragma once

namespace nightshift::search {

// Student's t distribution; df > 0.
double student_cdf(double t, double df);
double student_upper_quantile(double upper_tail, double df);  // t with P(T > t) == upper_tail

}  // namespace nightshift::search
