#include "problems/readers/keys/program_keys.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/element_type.h"
#include "search/figures/own_figure.h"

namespace nightshift::problems {
namespace {

constexpr double kHuge = 1e300;
constexpr std::int64_t kAnyInteger = -std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMostSamples = 1'000'000;
constexpr double kMostNoise = 1;  // a typical factor of 2.7
constexpr auto kRequired = Presence::kRequired;

enum class Types : std::uint8_t { kOfHost, kOfGpu };
Choice element_types(Types which) {
  Choice types;
  for (const search::ElementTypeRow& row : search::kElementTypes) {
    if (which == Types::kOfGpu || !row.cpp.empty()) types.words.emplace_back(row.name);
  }
  return types;
}
Choice element_types_or_dtype() {
  Choice types = element_types(Types::kOfGpu);
  types.words.emplace_back("dtype");
  return types;
}

// --- [host] ---

const ProblemTable* host_source(std::string name, std::string meaning) {
  return kept({std::move(name),
               std::move(meaning),
               false,
               {{"file", Text{"file"}, "",
                 "C++, C, Fortran or assembler, from the folder of the problem", kRequired},
                {"function", Text{"name"}, "", "function in it, ns::name and name<A, B> allowed",
                 kRequired},
                {"flags", Texts{}, "[]", "compiler options of every configuration"}}});
}

// How sources are told of sizes and parameters.
ProblemKey names_key(Choice words) {
  return {"names", std::move(words), "\"macros\"",
          "what sizes and parameters are to the sources; none: nothing but template arguments"};
}

// The keys of [[host.argument]] and [[cuda.argument]].
std::vector<ProblemKey> argument_keys(Choice types, Choice accesses, Choice fills,
                                      Presence type = kRequired) {
  return {{"name", Text{"name"}, "", "for messages and launches", kRequired},
          {"type", std::move(types), "",
           type == kRequired ? "of its elements"
                             : "of its elements; absent: as the kernel's source has it",
           type},
          {"size", Mixed{"expression"}, "", "elements of a vector; a scalar has `value`"},
          {"value", Mixed{"expression"}, "", "of a scalar, passed by value; a vector has `size`"},
          {"access", std::move(accesses), "\"in\"", "what the kernel does with a vector"},
          {"fill", std::move(fills), "\"uniform\"", "contents of a vector before each run"},
          {"low", Number{-kHuge, kHuge}, "",
           "lower bound, mean or constant; absent: -1 for uniform floats, else 0"},
          {"high", Number{-kHuge, kHuge}, "",
           "upper bound or deviation; absent: 1, for uniform integers 100"},
          {"file", Text{"file"}, "", "numbers that numpy.save wrote, for `fill = \"file\"`"}};
}

constexpr double kLeastCaseWeight = 1e-6, kMostCaseWeight = 1e6;

ProblemKey case_weight() {
  return {"weight", Number{kLeastCaseWeight, kMostCaseWeight}, "1",
          "how often it counts, relative to the others"};
}

// Of [host] and [cuda].
ProblemKey cases_key(const std::string& name) {
  return table_key(
      "cases",
      kept({name,
            "several cases in place of sizes; figures are joined by `aggregate`",
            true,
            {case_weight(), {"NAME", Integer{kAnyInteger}, "", "value of NAME in this case"}}}));
}

ProblemKey aggregate_key() {
  return {"aggregate", Choice{{"geometric_mean", "sum", "worst"}}, "\"geometric_mean\"",
          "of the cases' figures, each to its weight or as often; worst: the score is that of the "
          "case that does worst by the baseline"};
}

}  // namespace

const ProblemTable* host_keys() {
  const ProblemTable* tolerance = kept(
      {"host.tolerance",
       "largest error of an answer: |got - expected| <= absolute + relative * |expected|",
       false,
       {{"relative", Number{0, kHuge}, "",
         "share of the expected value; absent: 1e-5 of float32, 1e-11 of float64, of integers 0"},
        {"absolute", Number{0, kHuge}, "",
         "in the answer's unit; absent: 1e-6 (float32) or 1e-12 (float64) of the root mean square "
         "of the expected answer, 1e-6 at most; of integers 0"}}});
  const ProblemTable* of_one = kept(
      {"host.argument.tolerance",
       "the same of one output",
       false,
       {{"relative", Number{0, kHuge}, "", "share of the expected value; absent: the problem's"},
        {"absolute", Number{0, kHuge}, "", "in the output's unit; absent: the problem's"}}});
  std::vector<ProblemKey> keys =
      argument_keys(element_types(Types::kOfHost), {{"in", "out", "inout"}},
                    {{"uniform", "normal", "constant", "sequence", "file"}});
  keys.push_back(table_key("tolerance", of_one));
  const ProblemTable* argument =
      kept({"host.argument", "an argument of the function, in its order", true, std::move(keys)});
  return kept(
      {"host",
       "a C++ function, compiled by the system compiler and timed on pinned cores",
       false,
       {{"compiler", Text{}, "\"c++\"",
         "program that compiles; {NAME} is the value of that parameter"},
        table_key("kernel", host_source("host.kernel", "the function that is tuned"), kRequired),
        table_key("baseline", host_source("host.baseline",
                                          "what every result is divided by; absent: the kernel "
                                          "with the configuration of [baseline]")),
        table_key("reference", host_source("host.reference",
                                           "what is right, with every float a double; absent: "
                                           "what the baseline computes")),
        table_key("sizes", open_table("host.sizes", "sizes of the problem, told to the sources",
                                      Integer{kAnyInteger}, "value of NAME")),
        cases_key("host.cases"),
        aggregate_key(),
        names_key({{"macros", "constants", "none"}}),
        table_key("tolerance", tolerance),
        table_key("argument", argument)}});
}

namespace {

// --- [cuda] ---

std::vector<ProblemKey> launch_keys() {
  return {
      {"kernel", Text{"name"}, "",
       "extern \"C\", or an instance such as \"scale<4>\" or \"scale<BM>\"", kRequired},
      {"grid", Mixed{"expression, or a list of up to three"}, "", "blocks in x, y, z", kRequired},
      {"block", Mixed{"expression, or a list of up to three"}, "", "threads in x, y, z", kRequired},
      {"cluster", Mixed{"expression, or a list of up to three"}, "1", "blocks of a cluster"},
      {"shared_bytes", Mixed{"expression"}, "0", "dynamic shared memory of a block, bytes"},
      {"when", Mixed{"expression"}, "", "the launch is left out where this is false"},
      {"arguments", Texts{}, "",
       "names of arguments and tensor maps, in order; absent: of the kernel's parameters"}};
}

const ProblemTable* cuda_launch() {
  std::vector<ProblemKey> keys = launch_keys();
  keys.push_back({"programmatic", Mixed{"expression"}, "",
                  "where true, begins before the launch before it ends, which the kernel awaits"});
  return kept({"cuda.launch", "a launch of one execution, in order", true, std::move(keys)});
}

// One that is made once for all configurations.
const ProblemTable* common_launch(std::string name, std::string meaning) {
  return kept({std::move(name), std::move(meaning), true, launch_keys()});
}

const ProblemTable* tensor_map() {
  return kept(
      {"cuda.tensor_map",
       "an argument as the tensor memory accelerator (TMA) copies it; launches take it by name",
       true,
       {{"name", Text{"name"}, "", "that launches take it by", kRequired},
        {"of", Text{"name"}, "", "the argument, a vector", kRequired},
        {"extent", Mixed{"list of expressions"}, "",
         "elements, innermost of up to 5 dimensions first", kRequired},
        {"box", Mixed{"list of expressions"}, "", "elements that one copy moves, at most 256 each",
         kRequired},
        {"pitch", Mixed{"list of expressions"}, "",
         "elements from one index of dimension 1, 2 ... to the next; absent: dense"},
        {"swizzle", Mixed{"expression"}, "0", "0, 32, 64 or 128 bytes"},
        {"l2_promotion", Mixed{"expression"}, "0", "0, 64, 128 or 256 bytes"}}});
}

const ProblemTable* cuda_argument() {
  constexpr double kMostGate = 1e6;
  const auto gate = [](const std::string& key) {
    return kept({"cuda.argument." + key,
                 "a bound for each type",
                 false,
                 {{"TYPE", Number{0, kMostGate}, "", "bound where the argument is of that type"}}});
  };
  auto keys =
      argument_keys(element_types_or_dtype(), {{"in", "out", "inout", "work"}},
                    {{"uniform", "normal", "constant", "sequence", "bits", "computed", "file"}},
                    Presence::kOptional);
  keys.push_back({"gate", Number{0, kMostGate}, "",
                  "largest norm of an output's error over that of the answer; absent: by type",
                  Presence::kOptional, gate("gate")});
  keys.push_back({"element_gate", Number{0, kMostGate}, "",
                  "largest |got - expected| / (|expected| + rms); absent: ten times the gate, of "
                  "float8 0.25 or 2.5 times the gate at most",
                  Presence::kOptional, gate("element_gate")});
  return kept({"cuda.argument", "an argument that launches name", true, std::move(keys)});
}

}  // namespace

const ProblemTable* cuda_keys() {
  const ProblemTable* reference =
      kept({"cuda.reference",
            "what is right: CUDA C++ that writes doubles where the kernel writes floats",
            false,
            {{"source", Text{"file"}, "", "from the folder of the problem", kRequired},
             {"flags", Texts{}, "[]", "compiler options"},
             table_key("launch",
                       common_launch("cuda.reference.launch",
                                     "a launch of the reference, over no parameter"),
                       kRequired)}});
  const std::string sizes = "sizes of the problem, told to the sources";
  return kept(
      {"cuda",
       "CUDA C++ kernels, compiled for the present GPU and timed there",
       false,
       {{"source", Text{"file"}, "", "CUDA C++, from the folder of the problem", kRequired},
        {"flags", Texts{}, "[]", "compiler options of every configuration"},
        {"include_folders", Texts{}, "[]", "besides the sources' own"},
        {"compiler", Text{"nvrtc, nvcc or served"}, "",
         "what compiles, nvrtc:12.8 or nvrtc:FILE for one of several; absent: nvrtc, else nvcc"},
        {"compiler_argv", Texts{}, "",
         "program that makes cubins and says how they are launched (protocol 2)"},
        {"dtype", element_types(Types::kOfGpu), "", "the macro DTYPE, and type \"dtype\""},
        table_key("sizes", open_table("cuda.sizes", sizes, Integer{kAnyInteger}, "value of NAME")),
        names_key({{"macros", "constants", "none", "definitions"}}),
        cases_key("cuda.cases"),
        aggregate_key(),
        {"timing", Choice{{"auto", "graph", "events"}}, "\"auto\"", "how launches are timed"},
        {"deterministic", Truth{}, "false", "outputs of two runs must be equal to the bit"},
        {"bytes", Mixed{"expression"}, "", "that one execution moves at least; for bandwidth"},
        {"flops", Mixed{"expression"}, "", "operations of one execution; for compute"},
        table_key("derived",
                  open_table("cuda.derived", "names for expressions, in any order; no macros",
                             Mixed{"expression"}, "the expression that NAME stands for")),
        table_key("argument", cuda_argument()),
        table_key("tensor_map", tensor_map()),
        table_key("launch", cuda_launch(), kRequired),
        table_key("prepare",
                  common_launch("cuda.prepare",
                                "a launch of the reference's source that computes inputs")),
        table_key("reference", reference)}});
}

// --- [command], [recorded] ---

namespace {

// What is measured has its figure's name.
std::vector<std::string> figure_sources() {
  std::vector<std::string> sources = {"json", "regex", "wall-time"};
  std::ranges::move(search::own_figure_names(&search::OwnFigureRule::of_command),
                    std::back_inserter(sources));
  return sources;
}

const ProblemTable* named_cases() {
  return kept({"command.cases",
               "cases that a server of protocol 2 gives figures of",
               true,
               {{"name", Text{"name"}, "", "of the case", kRequired}, case_weight()}});
}

}  // namespace

const ProblemTable* command_keys() {
  const ProblemTable* figure =
      kept({"command.figure",
            "where the figure of an objective is found; absent: the JSON member of its name",
            true,
            {{"objective", Text{"name"}, "", "may be left out where there is one objective"},
             {"source", Choice{figure_sources()}, "\"json\"",
              "last JSON object of the output, the output, run time, or what is measured"},
             {"key", Text{}, "",
              "member of the object or path to it, or a regular expression with a group"}}});
  return kept(
      {"command",
       "a program that is started for each trial, or once and then served",
       false,
       {{"mode", Choice{{"per-trial", "server"}}, "\"per-trial\"",
         "server: one JSON line a trial on its standard input, {} for the baseline"},
        {"device", Choice{{"cpu", "gpu"}}, "\"cpu\"",
         "gpu: one GPU for each program, in CUDA_VISIBLE_DEVICES; cpu: pinned to cores"},
        {"argv", Texts{}, "", "program and arguments; per trial {NAME} is the parameter's value",
         kRequired},
        {"baseline_argv", Texts{}, "", "another program as the baseline; per trial only"},
        table_key("environment", open_table("command.environment", "variables of the program",
                                            Mixed{"text or number"}, "value of the variable NAME")),
        {"requests", Choice{{"plain", "numbered"}}, "\"plain\"",
         "numbered: {\"id\": 7, \"configuration\": {..}}, and answers repeat the id; servers only"},
        {"protocol", Integer{1, 2}, "1",
         "of a server; 2: frames with phases, typed failures, builds"},
        {"builds", Truth{}, "false", "of protocol 2: the server has the role `build` as well"},
        {"build", Texts{}, "", "program that makes what argv runs, ahead; both name {artifact}"},
        {"baseline_build", Texts{}, "", "the same for the baseline; absent: as build"},
        table_key("build_environment",
                  open_table("command.build_environment", "variables of the build",
                             Mixed{"text or number"}, "value of the variable NAME")),
        {"inputs", Texts{}, "[]",
         "files and folders that a build or the program reads: builds and figures follow them"},
        {"candidates", Texts{}, "[]",
         "of `serve`: files that candidates may replace or add, such as 'src/*.c'; absent: any"},
        {"cores", Integer{1, 10'000}, "",
         "of one program, with as many devices as fit; absent: one program has all cores"},
        {"directory", Text{"folder"}, "\".\"",
         "where it is started, from the folder of the problem"},
        {"runs", Integer{1, kMostSamples}, "",
         "starts per trial, each at least one sample; absent: as many as measure.max_seconds has "
         "room for, 5 at most; 5 with min or max"},
        table_key("cases", named_cases()),
        aggregate_key(),
        table_key("figure", figure)}});
}

const ProblemTable* python_keys() {
  return kept(
      {"python",
       "a Python file that describes the problem; the tables beside it override what it says",
       false,
       {{"file", Text{"file"}, "", "from the folder of the problem", kRequired},
        {"problem", Text{"name"}, "", "of its problems, where it has several"},
        {"case", Text{"name"}, "", "of its cases, or its number from 0; absent: the first"}}});
}

const Settings<search::RecordedBackend>& recorded_settings() {
  using Its = search::RecordedBackend;
  static const Settings<Its> settings(
      "recorded", "replays a recorded space (Kernel Tuner cache or T4 JSON, also gzipped)",
      // Of a problem file, whose reader asks for it: a recording that is given itself has none.
      {elsewhere<Its>({"file", Text{"file"}, "", "from the folder of the problem", kRequired})
           .by([](TableReader&, Its&) { return false; }),
       setting("samples", &Its::samples, Integer{0, kMostSamples},
               "drawn per measurement; 0: as many as were recorded"),
       setting("noise", &Its::noise, Number{0, kMostNoise},
               "standard deviation of the logarithm of a factor on each measurement")});
  return settings;
}

}  // namespace nightshift::problems
