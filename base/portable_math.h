#pragma once

namespace nightshift::base {

// Logarithm and exponential out of exactly rounded operations only. The C library's differ in the
// last bit between machines (with and without fused multiply-add), and one bit is enough to part
// two searches of the same seed. Accurate to about 1e-15 of the result, and inlined arithmetic:
// faster than a call. They rest on -ffp-contract=off, which the whole project is compiled with.
double portable_log(double x);  // x > 0 and not subnormal
double portable_exp(double x);  // 0 below -700; x <= 700

}  // namespace nightshift::base
