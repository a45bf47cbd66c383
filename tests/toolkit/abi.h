#pragma once

#include <cstddef>
#include <type_traits>

// Whether a declaration of ours and one of the toolkit's headers mean the same to the machine.
namespace nightshift::toolkit {

// A struct of ours stands for one of theirs; the tests say which, and compare the members.
template <class Ours, class Theirs>
inline constexpr bool kStandsFor = false;

// An enumeration of theirs may be a number of ours, of the same size.
template <class Ours, class Theirs>
consteval bool same_type() {
  if constexpr (std::is_void_v<Ours> || std::is_void_v<Theirs>) {
    return std::is_void_v<Ours> && std::is_void_v<Theirs>;
  } else if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    using To = std::remove_pointer_t<Ours>;
    using TheirTo = std::remove_pointer_t<Theirs>;
    return std::is_const_v<To> == std::is_const_v<TheirTo> &&
           same_type<std::remove_cv_t<To>, std::remove_cv_t<TheirTo>>();
  } else if constexpr (std::is_class_v<Ours> || std::is_class_v<Theirs>) {
    return kStandsFor<Ours, Theirs>;
  } else {
    return std::is_pointer_v<Ours> == std::is_pointer_v<Theirs> &&
           std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs> &&
           sizeof(Ours) == sizeof(Theirs);
  }
}

template <class Ours, class Theirs>
inline constexpr bool kSameFunction = false;
template <class Ours, class... OurArguments, class Theirs, class... TheirArguments>
requires(sizeof...(OurArguments) == sizeof...(TheirArguments)) inline constexpr bool kSameFunction<
    Ours (*)(OurArguments...), Theirs (*)(TheirArguments...)> =
    same_type<Ours, Theirs>() && (same_type<OurArguments, TheirArguments>() && ...);

}  // namespace nightshift::toolkit

// Member NAME of a table of functions has the type of the toolkit's function NAME.
#define HOLD_FUNCTION(table, name)                                                            \
  static_assert(nightshift::toolkit::kSameFunction<decltype(table::name), decltype(&::name)>, \
                #name " is not what the toolkit declares");
#define COUNT_FUNCTION(name) +1
#define HOLD_MEMBER(ours, member, theirs, their_member)                     \
  static_assert(offsetof(ours, member) == offsetof(theirs, their_member) && \
                    sizeof(ours::member) == sizeof(theirs::their_member),   \
                #ours "::" #member " is not where the toolkit has " #their_member)
#define HOLD_SIZE(ours, theirs) \
  static_assert(sizeof(ours) == sizeof(theirs) && alignof(ours) == alignof(theirs), #ours)
#define HOLD_VALUE(ours, theirs) \
  static_assert(static_cast<long long>(ours) == static_cast<long long>(theirs), #ours)
