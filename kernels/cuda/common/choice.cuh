// A type that a constant chooses: std::conditional_t, whose header NVRTC has not.
#pragma once

template <bool, class True, class>
struct ChoiceOf {
  using Type = True;
};
template <class True, class False>
struct ChoiceOf<false, True, False> {
  using Type = False;
};
template <bool kCondition, class True, class False>
using Choice = typename ChoiceOf<kCondition, True, False>::Type;
