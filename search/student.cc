#include "search/student.h"

#include <boost/math/distributions/complement.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace nightshift::search {

double student_cdf(double t, double df) { return boost::math::cdf(boost::math::students_t(df), t); }

double student_upper_quantile(double upper_tail, double df) {
  return boost::math::quantile(boost::math::complement(boost::math::students_t(df), upper_tail));
}

}  // namespace nightshift::search
