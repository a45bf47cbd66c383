#include "search/statistics/distributions.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/complement.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace nightshift::search {

namespace {

namespace bm = boost::math;
namespace bp = boost::math::policies;

// Nothing throws: Boost returns NaN out of the domain and an infinity on overflow.
using Policy =
    bp::policy<bp::domain_error<bp::ignore_error>, bp::pole_error<bp::ignore_error>,
               bp::overflow_error<bp::ignore_error>, bp::evaluation_error<bp::ignore_error>>;
using Normal = bm::normal_distribution<double, Policy>;
using Student = bm::students_t_distribution<double, Policy>;
using NoncentralStudent = bm::non_central_t_distribution<double, Policy>;
using ChiSquared = bm::chi_squared_distribution<double, Policy>;
using FisherF = bm::fisher_f_distribution<double, Policy>;
using Binomial = bm::binomial_distribution<double, Policy>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double normal_upper_tail(double z) { return bm::cdf(bm::complement(Normal(), z)); }
double normal_quantile(double p) { return bm::quantile(Normal(), p); }
double normal_upper_quantile(double upper_tail) {
  return bm::quantile(bm::complement(Normal(), upper_tail));
}

double student_upper_tail(double t, double df) { return bm::cdf(bm::complement(Student(df), t)); }
double student_quantile(double p, double df) { return bm::quantile(Student(df), p); }
double student_upper_quantile(double upper_tail, double df) {
  return bm::quantile(bm::complement(Student(df), upper_tail));
}

double noncentral_student_upper_tail(double t, double df, double noncentrality) {
  if (!(df > 0) || !std::isfinite(noncentrality) || std::isnan(t)) return kNaN;
  if (std::isinf(t)) return t > 0 ? 0 : 1;
  return bm::cdf(bm::complement(NoncentralStudent(df, noncentrality), t));
}

double chi_squared_upper_tail(double x, double df) {
  if (x == std::numeric_limits<double>::infinity() && df > 0) return 0;
  return bm::cdf(bm::complement(ChiSquared(df), x));
}

double f_upper_tail(double f, double df_numerator, double df_denominator) {
  if (f == std::numeric_limits<double>::infinity() && df_numerator > 0 && df_denominator > 0) {
    return 0;
  }
  return bm::cdf(bm::complement(FisherF(df_numerator, df_denominator), f));
}

double binomial_cdf(double k, double n, double p) {
  if (k < 0) return 0;
  return bm::cdf(Binomial(n, p), k);
}

}  // namespace nightshift::search
