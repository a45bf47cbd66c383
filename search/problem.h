#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "search/acceptance.h"
#include "search/argument.h"
#include "search/configuration.h"
#include "search/cuda_problem.h"
#include "search/expected_cost.h"
#include "search/expression.h"
#include "search/objective.h"
#include "search/parameter_space.h"
#include "search/source_names.h"
#include "search/target.h"

namespace nightshift::search {

// Who wrote what is measured. kNone: somebody, or a program, that gains by a figure that is better
// than the work. Whatever evaluators can do about it is then done, at a price.
enum class Trust : std::uint8_t { kUsual, kNone };

// What is timed in an evaluation of CUDA kernels.
enum class Timed : std::uint8_t {
  kExecution,    // all launches in a row
  kEachLaunch,   // and what each of them adds, see Measurement::launches
  kForProfiler,  // nothing: after the check there is one execution between the marks of a profiler
};

// How one evaluation of a configuration is measured.
struct SamplingPlan {
  int samples = 20;          // repetitions kept, at least
  int most_samples = 60;     // at most, where `precision` asks for more
  double precision = 0.01;   // sampling goes on until half of the 95 % interval of the mean is not
                             // above this share of it; 0 = exactly `samples`
  double give_up_ratio = 3;  // a candidate this many times slower than the best is dropped after
                             // its first samples; 0 = never
  int warm_up_runs = 3;      // at least; not kept
  double warm_up_seconds = 0.01;     // at least; ten times that at most
  double min_sample_seconds = 5e-5;  // shorter kernels are repeated inside one sample; 0 = never
  double max_seconds = 10;           // sampling stops early (with >= 3 samples) after this long
  bool cold_cache = false;           // evict the last-level cache before each sample
  Trust trust = Trust::kUsual;
  Timed timed = Timed::kExecution;
};

// Deadlines in seconds of wall time; each phase mark starts a new one. 0 memory = no limit.
struct Limits {
  double boot = 60;
  double build = 120;
  double prepare = 30;  // configure, load, prepare
  double verify = 60;
  double measure = 60;  // warm-up and measuring, each
  double trial = 300;   // the whole trial without its build
  // An exploration may take so many times as long as the baseline took on the device, at least
  // kLeastPatience; 0 = only the limits above hold.
  static constexpr double kLeastPatience = 3;
  double times_baseline = 20;
  // The build of a candidate may take so many times as long as the slowest one of a candidate before
  // it, at least kLeastPatienceWithBuilds; 0 = `build` alone holds.
  static constexpr double kLeastPatienceWithBuilds = 20;
  double times_build = 20;
  std::uint64_t memory_bytes = 0;        // address space of a build or a command
  std::uint64_t output_bytes = 1 << 20;  // of a command's standard output; the rest is cut off
};

// --- Backends ---

struct HostSource {
  std::string file;      // absolute path; empty = not given
  std::string function;  // name of a free function; C++ linkage and template arguments are fine
  std::vector<std::string> flags;
  friend bool operator==(const HostSource&, const HostSource&) = default;
};

// C++, C, Fortran or assembler (source_language.h), compiled by the system compiler and run on
// pinned cores.
// The reference is called with the same inputs, rounded as the kernel sees them, converted to
// double: every floating vector of its signature is double.
struct HostBackend {
  std::string compiler = "c++";  // program; see compilers()
  HostSource kernel;
  HostSource baseline;                  // file empty: the kernel itself with Problem::baseline
  HostSource reference;                 // file empty: compared with what the baseline computes
  std::vector<CaseSizes> cases = {{}};  // at least one, each with inputs of its own
  std::vector<FlagParameter> flag_parameters;
  std::vector<Argument> arguments;
  GivenTolerance tolerance = {};  // of outputs whose argument has none of its own
  SourceNames names = SourceNames::kMacros;
};

// How a figure is found in what a command prints.
struct FigureRule {
  enum class Source : std::uint8_t {
    kJson,      // last JSON object of standard output; `key` names a member, or is a path to one
                // ("results.0.mean"): a number or a list of numbers, or texts with units
    kRegex,     // first capture group of `key` (ECMAScript), every match one sample
    kWallTime,  // how long the command ran, in seconds, converted to the objective's unit
  };
  Source source = Source::kJson;
  std::string key;  // empty with kJson: the objective's name
};

// Any program. kPerTrial starts it for every trial, `runs` times; {name} in arguments and
// environment is replaced by the parameter's value. kServer starts it once and then exchanges one
// JSON line per trial; the empty object {} asks for the baseline.
//
// What is started per trial may be built before, by a program of its own with the same
// placeholders. {artifact} in both is the folder that it fills. A server of protocol 2 (frames with
// numbers and phases, evaluator/README.md) builds in processes of its own, where `builds` says so.
struct CommandBackend {
  enum class Mode : std::uint8_t { kPerTrial, kServer };
  Mode mode = Mode::kPerTrial;
  std::vector<std::string> argv;
  std::vector<std::string> baseline_argv;  // kPerTrial: empty = argv with Problem::baseline
  std::vector<std::pair<std::string, std::string>> environment;
  std::string directory;            // absolute; where it is started, and built
  std::vector<FigureRule> figures;  // one per objective, in order
  int runs = 5;
  bool numbered = false;                    // kServer: requests have a number, which answers repeat
  std::vector<std::string> build;           // kPerTrial; empty: nothing is built
  std::vector<std::string> baseline_build;  // empty: `build` with Problem::baseline
  std::vector<FlagParameter> flag_parameters;  // whose options stand in builds in place of {flags}
  std::vector<std::pair<std::string, std::string>> build_environment;
  std::vector<std::string> inputs;  // absolute; files and folders that builds read
  int protocol = 1;                 // kServer: 1 or 2
  bool builds = false;              // protocol 2: it has the role `build`
  // kPerTrial: patterns (fnmatch(3), * stops at /) of files of `directory`, the only ones that served
  // candidates may send; empty: any.
  std::vector<std::string> candidates;
};

// Replays a recorded space: Kernel Tuner cache or T4 JSON, plain or gzip.
struct RecordedBackend {
  std::string file;  // absolute path
  int samples = 0;   // repetitions drawn per evaluation; 0 = as many as were recorded
  // Standard deviation of the logarithm of a factor that an evaluation's samples share.
  double noise = 0;
};

// A word of CommandBackend::build: the options of the flag parameters stand in its place, each a
// word.
inline constexpr std::string_view kFlagsWord = "{flags}";

// What a problem is made of; Problem::target says where it runs.
using Backend = std::variant<HostBackend, CommandBackend, RecordedBackend, CudaBackend>;
std::string_view name_of(const Backend& backend);  // "host", "command", "recorded", "cuda"
// Where such a problem runs unless it says otherwise, and whether it can run there: a program runs
// on cores or on GPUs, every other kind in one place.
Target usual_target(const Backend& backend);
bool can_run_on(const Backend& backend, Target target);

// --- The study's settings ---

struct Budget {
  double seconds = 0;            // wall time; 0 = no limit
  double simulated_seconds = 0;  // of a recorded device; 0 = no limit
  std::uint64_t trials = 0;      // unique configurations evaluated, failures included; 0 = no limit
  std::uint64_t stall = 0;       // stop after so many in a row without a new best; 0 = never
};

// What scores are relative to.
enum class Normalisation : std::uint8_t {
  kMatrix,  // the baseline of the same device, interpolated in time between its measurements
  kEach,    // the baseline measured right before each trial
  kGiven,   // a figure that the user gives
  kNone,    // the study's first baseline, whatever the device
};

struct SchedulingSettings {
  std::string searcher = "auto";
  std::uint64_t seed = 1;
  std::vector<Configuration> starts;      // tried first; complete
  std::vector<std::string> starts_files;  // that some of `starts` are from, absolute
  std::vector<std::string> warm_start;    // folders of earlier studies, absolute
  // What a configuration is thought to cost, up to a factor, for each case of a [cuda] problem:
  // over parameters and SM_COUNT.
  std::vector<Expression> expected;
  int multiprocessors = 0;  // SM_COUNT of `expected`; 0 = of the study's first GPU
  int outstanding = 0;      // trials between ask and tell; 0 = chosen from devices and builders
  int builders = 0;         // builder processes; 0 = chosen from the cores that are free
  Normalisation normalisation = Normalisation::kMatrix;
  double given_baseline = 0;        // for kGiven, in the primary objective's unit; > 0
  int rebaseline_trials = 16;       // the baseline again after so many trials there; 0 = never
  double rebaseline_seconds = 120;  // or so many seconds; 0 = never
  bool process_per_trial = false;   // isolation = "per-trial"
  int hot_spares = -1;       // evaluators of each device that stand ready beside the one that
                             // measures; -1 = chosen by what starting one costs
  int cores_per_device = 1;  // of Target::kCores: cores that a device has; 0 = all that we may use
  bool fill_with_devices = false;  // of Target::kCores: as many devices as the cores suffice for,
                                   // not one
};

// What the GPUs of a study are to run at while it runs; 0 = as they are.
struct DeviceSettings {
  int clock_mhz = 0;      // of the multiprocessors
  int mem_clock_mhz = 0;  // of the memory
  double power_watts = 0;
  bool strict = false;  // where they cannot be had nothing is measured; else that is a warning
  bool any() const { return clock_mhz > 0 || mem_clock_mhz > 0 || power_watts > 0; }
};

// A kernel or program, its space, inputs, reference answer and objectives.
struct Problem {
  std::string name;
  std::string file;  // where it was read from
  Backend backend;
  Target target = Target::kCores;  // where it runs; can_run_on(backend, target)
  std::vector<Parameter> parameters;
  std::vector<Expression> constraints;
  std::vector<Objective> objectives{Objective{}};
  CaseTerms cases;
  Scalarisation scalarisation = Scalarisation::kWeighted;
  Configuration baseline;  // what the empty configuration stands for; empty = every default
  SamplingPlan sampling;
  Limits limits;
  Budget budget;
  SchedulingSettings scheduling;
  AcceptanceSettings acceptance;
  DeviceSettings device;  // of GPUs
  // What the reader of the file took in another way than it is written, or found odd in it; for
  // people, told once when a study begins.
  std::vector<std::string> notes;
};

// Questions about where it runs, answered by the target alone.
inline bool is_recorded(const Problem& p) { return p.target == Target::kRecording; }
inline bool is_on_gpus(const Problem& p) { return p.target == Target::kGpus; }
// Questions about what it is made of, answered by the backend alone.
bool serves_frames(const Problem& problem);  // a server of protocol 2
bool needs_build(const Problem& problem);    // kernels are compiled, some programs are built
bool is_kernel(const Problem& problem);      // of host or CUDA: launches are of our making
bool has_reference(const Problem& problem);  // one to be built; else the baseline's answer is it
// The compiler as the problem names it: of [host] a program, of [cuda] the version or the path of
// NVRTC or nvcc, empty for the one that is found. {NAME} in it is the value of that parameter,
// which then is no macro. Empty for what is not compiled by us.
const std::string& compiler_text(const Problem& problem);
// That of all configurations, each once; none for what is not compiled by us.
std::vector<std::string> compilers(const Problem& problem);
// Those that are programs of this machine, to be asked for their versions: of [host].
std::vector<std::string> compiler_programs(const Problem& problem);
// The compiler options of every configuration, and the parameters that become further ones.
const std::vector<std::string>& compiler_flags(const Problem& problem);
const std::vector<FlagParameter>& flag_parameters(const Problem& problem);
// SchedulingSettings::expected; nothing where that needs multiprocessors that are not known.
ExpectedCost expected_cost(const Problem& problem);
bool needs_multiprocessors(const Problem& problem);  // for that
// The point of the space that the baseline is; nullopt where it is another program.
std::optional<Configuration> baseline_configuration(const Problem& problem);
// Every parameter at its default; a constraint may exclude it.
Configuration default_configuration(const Problem& problem);
// What `c` stands for: itself, or for the empty one Problem::baseline completed by the defaults.
Configuration resolved(const Problem& problem, const Configuration& c);

}  // namespace nightshift::search
