#include "evaluator/host/build/host_wrapper.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

#include "evaluator/host/build/value_clash.h"
#include "problems/cuda_source/cuda_source.h"
#include "problems/cuda_source/cuda_types.h"
#include "search/element_type.h"
#include "search/value.h"

namespace nightshift::evaluator {
namespace {

// Types are compared by kind and size, so that long and long long are one. Deducing from a
// function pointer drops noexcept.
constexpr std::string_view kPrelude = R"(
template <class nightshift_t> struct nightshift_kind { enum { value = 0 }; };
template <class nightshift_t> struct nightshift_kind<const nightshift_t>
    : nightshift_kind<nightshift_t> {};
#define NIGHTSHIFT_KIND(nightshift_t, nightshift_class) \
  template <> struct nightshift_kind<nightshift_t> { \
    enum { value = nightshift_class * 100 + static_cast<int>(sizeof(nightshift_t)) }; \
  };
NIGHTSHIFT_KIND(char, 1)
NIGHTSHIFT_KIND(signed char, 1)
NIGHTSHIFT_KIND(short, 1)
NIGHTSHIFT_KIND(int, 1)
NIGHTSHIFT_KIND(long, 1)
NIGHTSHIFT_KIND(long long, 1)
NIGHTSHIFT_KIND(bool, 2)
NIGHTSHIFT_KIND(unsigned char, 2)
NIGHTSHIFT_KIND(unsigned short, 2)
NIGHTSHIFT_KIND(unsigned int, 2)
NIGHTSHIFT_KIND(unsigned long, 2)
NIGHTSHIFT_KIND(unsigned long long, 2)
NIGHTSHIFT_KIND(float, 3)
NIGHTSHIFT_KIND(double, 3)

template <class nightshift_t> struct nightshift_bare { using type = nightshift_t; };
template <class nightshift_t> struct nightshift_bare<const nightshift_t>
    : nightshift_bare<nightshift_t> {};
template <class nightshift_t> struct nightshift_bare<nightshift_t&>
    : nightshift_bare<nightshift_t> {};
template <class nightshift_t> struct nightshift_bare<nightshift_t&&>
    : nightshift_bare<nightshift_t> {};

template <unsigned nightshift_i, class... nightshift_p> struct nightshift_nth { using type = void; };
template <class nightshift_first, class... nightshift_rest>
struct nightshift_nth<0, nightshift_first, nightshift_rest...> {
  using type = typename nightshift_bare<nightshift_first>::type;
};
template <unsigned nightshift_i, class nightshift_first, class... nightshift_rest>
struct nightshift_nth<nightshift_i, nightshift_first, nightshift_rest...>
    : nightshift_nth<nightshift_i - 1, nightshift_rest...> {};

template <class nightshift_t> struct nightshift_element : nightshift_kind<nightshift_t> {};
template <class nightshift_t, unsigned long nightshift_n>
struct nightshift_element<nightshift_t[nightshift_n]> : nightshift_element<nightshift_t> {};
template <class nightshift_declared, class nightshift_p> struct nightshift_is_vector {
  enum { value = 0 };
};
template <class nightshift_declared, class nightshift_p>
struct nightshift_is_vector<nightshift_declared, nightshift_p*> {
  enum { value = static_cast<int>(nightshift_kind<nightshift_declared>::value) ==
                 static_cast<int>(nightshift_element<nightshift_p>::value) };
};

template <class nightshift_r, class... nightshift_p> struct nightshift_parameters {
  using pointer = nightshift_r (*)(nightshift_p...);
  enum { count = sizeof...(nightshift_p) };
  template <class nightshift_declared, unsigned nightshift_i> struct is_vector
      : nightshift_is_vector<nightshift_declared,
                             typename nightshift_nth<nightshift_i, nightshift_p...>::type> {};
  template <unsigned nightshift_i> struct is_scalar {
    enum { value = static_cast<int>(nightshift_kind<
               typename nightshift_nth<nightshift_i, nightshift_p...>::type>::value) != 0 };
  };
  template <unsigned nightshift_i, int nightshift_bits, bool nightshift_below,
            bool nightshift_broken, bool nightshift_large> struct holds {
    enum {
      kind = static_cast<int>(nightshift_kind<
          typename nightshift_nth<nightshift_i, nightshift_p...>::type>::value),
      bits = kind % 100 * 8,
      value = kind / 100 == 3 ? !nightshift_large || bits == 64
              : kind == 0 ? 1
              : !nightshift_broken && (kind / 100 == 1 ? nightshift_bits < bits
                                       : !nightshift_below && nightshift_bits <= bits)
    };
  };
};
template <class nightshift_r, class... nightshift_p>
nightshift_parameters<nightshift_r, nightshift_p...> nightshift_signature(
    nightshift_r (*)(nightshift_p...));

template <class nightshift_p> typename nightshift_bare<nightshift_p>::type nightshift_vector(
    void* nightshift_argument) {
  return static_cast<typename nightshift_bare<nightshift_p>::type>(nightshift_argument);
}
template <class nightshift_declared, class nightshift_p>
typename nightshift_bare<nightshift_p>::type nightshift_scalar(void* nightshift_argument) {
  return static_cast<typename nightshift_bare<nightshift_p>::type>(
      *static_cast<const nightshift_declared*>(nightshift_argument));
}
)";

constexpr const char* kSigns =
    "#pragma GCC diagnostic push\n#pragma GCC diagnostic error \"-Wpointer-sign\"\n";

// The compiler is not to know which function is called: it would compile it into its only caller, where
// it may be faster or slower than what a user ships, and whether it does so hangs on trifles.
constexpr const char* kAsShipped = "  __asm__ volatile(\"\" : \"+r\"(nightshift_function));\n";

std::string cpp_type(const search::Argument& argument, bool as_reference) {
  if (as_reference && !argument.scalar && search::is_floating(argument.type)) return "double";
  return std::string(search::cpp_name_of(argument.type));
}

// What the problem file says about an argument, e.g. "argument 2 'b' is a vector of float32".
std::string statement(const search::Argument& argument, std::size_t i, bool as_reference) {
  std::string text = "argument " + std::to_string(i + 1) + " '" + argument.name + "' is ";
  const std::string type(search::name_of(argument.type));
  if (argument.scalar) return text + "a scalar of type " + type + " in the problem file";
  text += "a vector of " + type + " in the problem file";
  if (as_reference && argument.type == search::ElementType::kFloat32) {
    text += ", which the reference takes as double";
  }
  return text;
}

}  // namespace

std::string listed_types(const std::vector<search::Argument>& arguments, bool as_reference,
                         bool are_inputs_const) {
  std::string text;
  for (const search::Argument& argument : arguments) {
    if (!text.empty()) text += ", ";
    const bool is_const =
        are_inputs_const && !argument.scalar && argument.access == search::Argument::Access::kIn;
    text += (is_const ? "const " : "") + cpp_type(argument, as_reference);
    if (!argument.scalar) text += "*";
  }
  return text;
}

namespace {

// One more form of nightshift_signature, which takes the overload that has these types.
std::string exact_form(const std::string& types) {
  return "nightshift_parameters<void" + (types.empty() ? "" : ", " + types) +
         "> nightshift_signature(void (*)(" + types + "));\n";
}

// Forms of nightshift_signature that tell one overload or template from the others: by its number of
// arguments and by which of them are pointers, or by the very types of the problem file. Of a name that is
// neither overloaded nor a template all forms say the same.
std::string overload_forms(const std::vector<search::Argument>& arguments, bool as_reference) {
  std::string classes, parameters;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string type = "nightshift_p" + std::to_string(i);
    classes += ", class " + type;
    parameters += (i == 0 ? "" : ", ") + type + (arguments[i].scalar ? "" : "*");
  }
  return "template <class nightshift_r" + classes + ">\nnightshift_parameters<nightshift_r" +
         (parameters.empty() ? "" : ", " + parameters) +
         "> nightshift_signature(nightshift_r (*)(" + parameters + "));\n" +
         exact_form(listed_types(arguments, as_reference, true)) +
         exact_form(listed_types(arguments, as_reference, false));
}

// What a scalar's value asks of the type in which a function takes it.
struct Asked {
  int bits = 0;            // of a whole number, but for its sign; as many as some type has
  bool is_below = false;   // 0
  bool is_broken = false;  // no whole number, or beyond them all
  bool is_large = false;   // beyond float
};

int bits_of(std::uint64_t size) {
  for (const int bits : {7, 8, 15, 16, 31, 32, 63}) {
    if (size >> bits == 0) return bits;
  }
  return 64;
}

Asked asked_of(const search::Argument& argument, const ArgumentShape& shape) {
  return search::with_cpp_type(argument.type, [&](auto tag) -> Asked {
    using T = typename decltype(tag)::Type;
    T value;
    std::memcpy(&value, shape.scalar.data(), sizeof value);
    if constexpr (std::is_floating_point_v<T>) {
      const bool is_large =
          std::abs(static_cast<double>(value)) > std::numeric_limits<float>::max();
      const bool is_whole = std::floor(value) == value && std::abs(value) < T(0x1p63);
      if (!is_whole) return {0, false, true, std::isfinite(value) && is_large};
      const auto size = static_cast<std::uint64_t>(std::abs(value));
      return {bits_of(value < 0 ? size - 1 : size), value < 0};
    } else {
      const auto bits = static_cast<std::uint64_t>(value);
      return {bits_of(value < T{0} ? ~bits : bits), value < T{0}};
    }
  });
}

// A constant that asks as much.
std::string constant_of(const Asked& asked) {
  if (asked.is_broken) return asked.is_large ? "1e300" : "0.5";
  if (asked.bits == 64) return "18446744073709551615UL";
  const std::string most = std::to_string((std::uint64_t{1} << asked.bits) - 1) + "L";
  return asked.is_below ? "(-" + most + " - 1)" : most;
}

std::string value_check(const std::string& function, const search::Argument& argument,
                        const ArgumentShape& shape, std::size_t i) {
  const Asked asked = asked_of(argument, shape);
  const auto word = [](bool is) { return is ? ", true" : ", false"; };
  return "static_assert(nightshift_list::holds<" + std::to_string(i) + ", " +
         std::to_string(asked.bits) + word(asked.is_below) + word(asked.is_broken) +
         word(asked.is_large) + ">::value, " +
         search::json_quoted(function + " takes '" + argument.name + "' in a type that " + kHeld) +
         ");\n";
}

std::string checks(const std::string& function, const std::vector<search::Argument>& arguments,
                   bool as_reference, const std::vector<ArgumentShape>& shapes) {
  const std::string count = std::to_string(arguments.size());
  std::string text = overload_forms(arguments, as_reference) +
                     "using nightshift_list = decltype(nightshift_signature(&" + function + "));\n";
  text += "static_assert(static_cast<int>(nightshift_list::count) == " + count + ", " +
          search::json_quoted("the problem file lists " + count + " arguments, but " + function +
                              " takes another number of them") +
          ");\n";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string index = std::to_string(i);
    const std::string test =
        arguments[i].scalar
            ? "is_scalar<" + index + ">"
            : "is_vector<" + cpp_type(arguments[i], as_reference) + ", " + index + ">";
    text += "static_assert(static_cast<int>(nightshift_list::count) != " + count +
            " || nightshift_list::" + test + "::value, " +
            search::json_quoted(statement(arguments[i], i, as_reference) + ", but " + function +
                                " takes something else there") +
            ");\n";
    if (arguments[i].scalar && i < shapes.size()) {
      text += value_check(function, arguments[i], shapes[i], i);
    }
  }
  return text;
}

std::string entry(const std::string& function, const std::vector<search::Argument>& arguments,
                  bool as_reference) {
  std::string types, parameters, values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string type = "nightshift_p" + std::to_string(i);
    const std::string comma = i == 0 ? "" : ", ";
    types += ", class " + type;
    parameters += comma + type;
    values += comma + "\n      ";
    values += arguments[i].scalar
                  ? "nightshift_scalar<" + cpp_type(arguments[i], as_reference) + ", " + type + ">"
                  : "nightshift_vector<" + type + ">";
    values += "(nightshift_arguments[" + std::to_string(i) + "])";
  }
  return "template <class nightshift_r" + types + ">\nstatic void nightshift_call(nightshift_r (*" +
         "nightshift_function)(" + parameters + "), void** nightshift_arguments) {\n" +
         "  (void)nightshift_arguments;\n" + kAsShipped + "  nightshift_function(" + values +
         ");\n}\n" + "extern \"C\" __attribute__((visibility(\"default\")))\nvoid " + kEntrySymbol +
         "(void** nightshift_arguments) {\n  "
         "nightshift_call(static_cast<nightshift_list::pointer>(&" +
         function + "), nightshift_arguments);\n}\n";
}

// Of one byte there are char, its two kinds and _Bool, of eight long and long long.
std::string c_type(const search::Argument& argument, bool as_reference, Declared declared,
                   bool is_flat) {
  const std::string type = cpp_type(argument, as_reference);
  if (argument.scalar) return type;
  const std::size_t bytes = search::bytes_of(argument.type);
  const bool has_one_name = search::is_floating(argument.type) || bytes == 2 || bytes == 4;
  const bool is_told = declared == Declared::kByWrapper || (has_one_name && !is_flat);
  return (is_told ? type : "void") + "*";
}

// A call that is never made, by which the compiler sees what the values ask.
std::string c_value_checks(const std::string& function,
                           const std::vector<search::Argument>& arguments,
                           const std::vector<ArgumentShape>& shapes) {
  std::string values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    values += (i == 0 ? "" : ", ") +
              (arguments[i].scalar ? constant_of(asked_of(arguments[i], shapes[i])) : "(void*)0");
  }
  return std::string(R"(#pragma GCC diagnostic error "-Woverflow"
#pragma GCC diagnostic error "-Wsign-conversion"
#pragma GCC diagnostic error "-Wfloat-conversion"
#ifdef __clang__
#pragma GCC diagnostic error "-Wconstant-conversion"
#pragma GCC diagnostic error "-Wliteral-conversion"
#endif
)") + "__attribute__((unused)) static void nightshift_asked(void) {\n  " +
         function + "(" + values + ");  /* " + kAskedMark + " */\n}\n" +
         "#pragma GCC diagnostic pop\n";
}

}  // namespace

std::string c_wrapper_source(const std::string& function,
                             const std::vector<search::Argument>& arguments, bool as_reference,
                             Declared declared, const std::vector<ArgumentShape>& shapes,
                             const std::vector<bool>& flat) {
  std::string types, values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string comma = i == 0 ? "" : ", ";
    const std::string type = c_type(arguments[i], as_reference, declared, !flat.empty() && flat[i]);
    const std::string element = "nightshift_arguments[" + std::to_string(i) + "]";
    types += comma + type;
    values +=
        comma + "\n      " +
        (arguments[i].scalar ? "*(const " + type + "*)" + element : "(" + type + ")" + element);
  }
  const std::string prototype =
      declared == Declared::kBySource
          ? ""
          : "void " + function + "(" + (types.empty() ? "void" : types) + ");\n";
  const bool checked = declared == Declared::kBySource && shapes.size() == arguments.size();
  const std::string signs = declared == Declared::kBySource ? kSigns : "";
  return prototype + signs + "__attribute__((visibility(\"default\")))\nvoid " + kEntrySymbol +
         "(void** nightshift_arguments) {\n  (void)nightshift_arguments;\n" + "  __typeof__(&" +
         function + ") nightshift_function = &" + function + ";\n" + kAsShipped +
         "  nightshift_function(" + values + ");\n}\n" +
         (checked ? c_value_checks(function, arguments, shapes) : std::string());
}

std::string c_type_clash(const std::string& source, const std::string& function,
                         const std::vector<search::Argument>& arguments, bool as_reference) {
  const problems::CudaSourceScan scan = problems::scan_cuda_source(source);
  const problems::CudaKernel* found = nullptr;
  for (const problems::CudaKernel& one : scan.functions) {
    if (one.name != function) continue;
    if (found != nullptr) return "";
    found = &one;
  }
  if (found == nullptr || found->parameters.size() != arguments.size()) return "";
  const problems::TypeNames names = problems::type_names(scan, *found, "");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto type = problems::plain_type(found->parameters[i].type, names);
    if (!type || !type->pointer || arguments[i].scalar) continue;
    const bool is_wide = as_reference && search::is_floating(arguments[i].type);
    const auto wanted = is_wide ? search::ElementType::kFloat64 : arguments[i].type;
    if (type->type == wanted) continue;
    return statement(arguments[i], i, as_reference) + ", but " + function + " takes " +
           found->parameters[i].type + " there\n";
  }
  return "";
}

std::string wrapper_source(const std::string& function,
                           const std::vector<search::Argument>& arguments, bool as_reference,
                           const std::vector<ArgumentShape>& shapes) {
  return std::string(kPrelude) + checks(function, arguments, as_reference, shapes) +
         entry(function, arguments, as_reference);
}

}  // namespace nightshift::evaluator
