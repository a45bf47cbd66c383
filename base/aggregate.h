#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace nightshift::base {
namespace aggregate_details {

// Stands in for a value of any type, where an aggregate is initialised and never made. The operator
// is const and its argument is not, so that a type's own constructor from anything goes before it:
// both would be as good otherwise, and std::optional be made by neither.
struct Anything {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};
Anything& anything(std::size_t);

template <class T, std::size_t... Is>
constexpr bool takes(std::index_sequence<Is...>) {
  return requires { T{anything(Is)...}; };
}

template <class T, std::size_t N>
constexpr std::size_t count() {
  if constexpr (N == 0 || takes<T>(std::make_index_sequence<N>())) {
    return N;
  } else {
    return count<T, N - 1>();
  }
}

template <std::size_t N>
using Count = std::integral_constant<std::size_t, N>;

template <class T, class F>
constexpr void call(T&, F& f, Count<0>) {
  f();
}
// A structured binding that is one too short, or too long, does not compile.
#define NIGHTSHIFT_CALL(N, ...)                 \
  template <class T, class F>                   \
  constexpr void call(T& of, F& f_, Count<N>) { \
    auto& [__VA_ARGS__] = of;                   \
    f_(__VA_ARGS__);                            \
  }
NIGHTSHIFT_CALL(1, a)
NIGHTSHIFT_CALL(2, a, b)
NIGHTSHIFT_CALL(3, a, b, c)
NIGHTSHIFT_CALL(4, a, b, c, d)
NIGHTSHIFT_CALL(5, a, b, c, d, e)
NIGHTSHIFT_CALL(6, a, b, c, d, e, f)
NIGHTSHIFT_CALL(7, a, b, c, d, e, f, g)
NIGHTSHIFT_CALL(8, a, b, c, d, e, f, g, h)
NIGHTSHIFT_CALL(9, a, b, c, d, e, f, g, h, i)
NIGHTSHIFT_CALL(10, a, b, c, d, e, f, g, h, i, j)
NIGHTSHIFT_CALL(11, a, b, c, d, e, f, g, h, i, j, k)
NIGHTSHIFT_CALL(12, a, b, c, d, e, f, g, h, i, j, k, l)
NIGHTSHIFT_CALL(13, a, b, c, d, e, f, g, h, i, j, k, l, m)
NIGHTSHIFT_CALL(14, a, b, c, d, e, f, g, h, i, j, k, l, m, n)
NIGHTSHIFT_CALL(15, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
NIGHTSHIFT_CALL(16, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)
NIGHTSHIFT_CALL(17, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q)
NIGHTSHIFT_CALL(18, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r)
NIGHTSHIFT_CALL(19, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s)
NIGHTSHIFT_CALL(20, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t)
NIGHTSHIFT_CALL(21, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u)
NIGHTSHIFT_CALL(22, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v)
NIGHTSHIFT_CALL(23, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w)
NIGHTSHIFT_CALL(24, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x)
NIGHTSHIFT_CALL(25, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y)
NIGHTSHIFT_CALL(26, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z)
#undef NIGHTSHIFT_CALL
inline constexpr std::size_t kMostMembers = 26;

}  // namespace aggregate_details

// How many members a struct has that stands without constructors, bases and arrays.
template <class T>
inline constexpr std::size_t kMembers =
    aggregate_details::count<T, aggregate_details::kMostMembers>();

// Calls `f` once, with all members of a struct in the order in which it declares them. A struct of
// more than 26 members, and one that is miscounted, does not compile.
template <class T, class F>
requires std::is_aggregate_v<std::remove_const_t<T>>
constexpr void with_members(T& of, F&& f) {
  constexpr std::size_t kCount = kMembers<std::remove_const_t<T>>;
  aggregate_details::call(of, f, aggregate_details::Count<kCount>());
}

}  // namespace nightshift::base
