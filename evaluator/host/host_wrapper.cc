#include "evaluator/host/host_wrapper.h"

#include <string_view>

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

template <class nightshift_declared, class nightshift_p> struct nightshift_is_vector {
  enum { value = 0 };
};
template <class nightshift_declared, class nightshift_p>
struct nightshift_is_vector<nightshift_declared, nightshift_p*> {
  enum { value = static_cast<int>(nightshift_kind<nightshift_declared>::value) ==
                 static_cast<int>(nightshift_kind<nightshift_p>::value) };
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

// "const float*, float*, long" of the problem file.
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

std::string checks(const std::string& function, const std::vector<search::Argument>& arguments,
                   bool as_reference) {
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

// Of a vector that C may take for one of another integer type of its size nothing is checked.
std::string c_type(const search::Argument& argument, bool as_reference, Declared declared) {
  const std::string type = cpp_type(argument, as_reference);
  if (argument.scalar) return type;
  const bool checked = declared == Declared::kByWrapper || search::is_floating(argument.type);
  return (checked ? type : "void") + "*";
}

}  // namespace

std::string c_wrapper_source(const std::string& function,
                             const std::vector<search::Argument>& arguments, bool as_reference,
                             Declared declared) {
  std::string types, values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string comma = i == 0 ? "" : ", ";
    const std::string type = c_type(arguments[i], as_reference, declared);
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
  return prototype + "__attribute__((visibility(\"default\")))\nvoid " + kEntrySymbol +
         "(void** nightshift_arguments) {\n  (void)nightshift_arguments;\n" + "  __typeof__(&" +
         function + ") nightshift_function = &" + function + ";\n" + kAsShipped +
         "  nightshift_function(" + values + ");\n}\n";
}

std::string overload_clash(const std::string& function,
                           const std::vector<search::Argument>& arguments, bool as_reference,
                           const std::string& complaint) {
  if (complaint.find("nightshift_signature(") == std::string::npos) return "";
  return function + " is overloaded or a template, and not one of it alone takes (" +
         listed_types(arguments, as_reference, true) +
         "), as the problem file lists its arguments. List what it takes, or name one, such as " +
         function + "<float>.\n";
}

std::string wrapper_source(const std::string& function,
                           const std::vector<search::Argument>& arguments, bool as_reference) {
  return std::string(kPrelude) + checks(function, arguments, as_reference) +
         entry(function, arguments, as_reference);
}

}  // namespace nightshift::evaluator
