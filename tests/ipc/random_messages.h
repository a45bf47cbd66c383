#pragma once

#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "ipc/messages.h"

namespace nightshift::ipc {

// Messages with every field set to something, drawn from a seed.
class RandomMessages {
 public:
  explicit RandomMessages(std::uint64_t seed) : random_(seed) {}

  ConfigureRequest configure() {
    return {problem(), text(), text(), text(), random_(), {text(), small(), small()}, coin()};
  }
  BuildRequest build() {
    return {coin() ? BuildTarget::kCandidate : BuildTarget::kReference, configuration(), number()};
  }
  BuiltReply built() {
    BuiltReply m;
    if (coin()) {
      m.result = Artifact{text(), random_()};
    } else {
      m.result = search::BuildFailed{text()};
    }
    m.seconds = number();
    return m;
  }
  EvaluateRequest evaluate() {
    return {configuration(), text(), text(), random_(), sampling(), number(), number()};
  }
  EvaluatedReply evaluated() {
    return {{outcome(), {number(), number(), number(), number()}}, coin(), coin(), text()};
  }

  search::TrialOutcome outcome() {
    switch (below(8)) {
      case 0:
        return search::Measured{measurement()};
      case 1:
        return search::BuildFailed{text()};
      case 2:
        return search::LaunchFailed{text()};
      case 3:
        return search::WrongResult{text(),   random_(), number(), number(),
                                   number(), number(),  text()};
      case 4:
        return search::TimedOut{phase(), number(), coin(), text()};
      case 5:
        return search::Crashed{static_cast<search::Crashed::Cause>(below(4)),
                               static_cast<std::int32_t>(random_()), phase(), text()};
      case 6:
        return search::DeviceLost{text()};
      default:
        return search::Skipped{search::TrialId{random_()}};
    }
  }

  search::Configuration configuration() {
    std::vector<search::Configuration::Entry> entries;
    for (std::size_t i = 0, n = below(6); i < n; ++i) {
      entries.emplace_back("p" + std::to_string(i), value());
    }
    return search::Configuration(std::move(entries));
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  bool coin() { return below(2) == 0; }
  int small() { return static_cast<int>(below(1000)); }
  double number() { return std::normal_distribution<double>(0, 1e3)(random_); }
  search::Phase phase() { return static_cast<search::Phase>(below(11)); }

  std::string text() {
    static constexpr std::string_view kLetters = "abcXYZ 0129_/\"\\\n";
    std::string s;
    for (std::size_t i = 0, n = below(12); i < n; ++i) s += kLetters[below(kLetters.size())];
    return coin() ? s + "\xc3\xa9" : s;
  }
  template <class Make>
  auto several(Make make) {
    std::vector<decltype(make())> items;
    for (std::size_t i = 0, n = below(4); i < n; ++i) items.push_back(make());
    return items;
  }
  std::vector<std::string> texts() {
    return several([this] { return text(); });
  }
  std::vector<std::pair<std::string, std::string>> text_pairs() {
    return several([this] { return std::pair{text(), text()}; });
  }

  search::Value value() {
    switch (below(4)) {
      case 0:
        return coin();
      case 1:
        return static_cast<std::int64_t>(random_());
      case 2:
        return number();
      default:
        return text();
    }
  }
  search::Expression expression() {
    static const std::vector<std::string> kTexts = {"32 <= x * y <= 1024", "x % 4 == 0 and not z",
                                                    "w in ['a', 'b'] or x // 2 > 3", "1"};
    return search::Expression::parse(kTexts[below(kTexts.size())]);
  }
  std::optional<search::Expression> maybe_expression() {
    return coin() ? std::optional(expression()) : std::nullopt;
  }

  search::Measurement measurement() {
    return {several([this] {
              search::Samples s{text(), {}};
              for (std::size_t i = 0, n = below(30); i < n; ++i) s.values.push_back(number());
              s.cases = several([this] { return std::vector<double>{number(), number()}; });
              return s;
            }),
            several([this, i = 0]() mutable {
              return std::pair{std::to_string(i++), text()};
            }),
            coin(), text(), several([this] {
              search::LaunchSamples launch{static_cast<std::uint32_t>(below(9)), text(), {}};
              for (std::size_t i = 0, n = below(9); i < n; ++i) launch.seconds.push_back(number());
              return launch;
            })};
  }
  search::SamplingPlan sampling() {
    return {small(),
            small(),
            number(),
            number(),
            small(),
            number(),
            number(),
            number(),
            coin(),
            static_cast<search::Trust>(below(2)),
            static_cast<search::Timed>(below(3))};
  }
  search::Parameter parameter() {
    return {text(),
            static_cast<search::ParameterType>(below(4)),
            several([this] { return value(); }),
            coin() ? std::optional(value()) : std::nullopt,
            maybe_expression(),
            several([this] { return number(); })};
  }
  search::Argument argument() {
    return {text(),
            static_cast<search::ElementType>(below(14)),
            coin(),
            static_cast<search::Argument::Access>(below(4)),
            maybe_expression(),
            maybe_expression(),
            static_cast<search::Argument::Fill>(below(6)),
            number(),
            number(),
            text(),
            text(),
            tolerance()};
  }
  search::GivenTolerance tolerance() {
    const auto maybe = [this] { return coin() ? std::optional(number()) : std::nullopt; };
    return {maybe(), maybe()};
  }
  search::HostSource source() { return {text(), text(), texts()}; }
  std::vector<search::FlagParameter> flag_parameters() {
    return several([this] { return search::FlagParameter{text(), text()}; });
  }
  search::CudaBackend::Sizes sizes() {
    return several([this] { return std::pair{text(), static_cast<std::int64_t>(random_())}; });
  }
  search::CudaLaunch launch() {
    const auto extent = [this] {
      return std::array<search::Expression, 3>{expression(), expression(), expression()};
    };
    search::CudaLaunch l;
    l.kernel = text();
    l.grid = extent();
    l.block = extent();
    l.cluster = extent();
    l.shared_bytes = expression();
    l.when = maybe_expression();
    l.programmatic = maybe_expression();
    l.arguments = several([this] { return static_cast<std::uint32_t>(random_()); });
    return l;
  }
  search::TensorMap tensor_map() {
    const auto expressions = [this] { return several([this] { return expression(); }); };
    search::TensorMap m;
    m.name = text();
    m.argument = static_cast<std::uint32_t>(random_());
    m.extent = expressions();
    m.pitch = expressions();
    m.box = expressions();
    m.swizzle = expression();
    m.l2_promotion = expression();
    return m;
  }
  std::vector<search::CudaLaunch> launches() {
    return several([this] { return launch(); });
  }
  search::CudaBackend cuda() {
    search::CudaBackend c;
    c.compiler = static_cast<search::CudaBackend::Compiler>(below(2));
    c.kernel = {text(), texts()};
    c.reference = {text(), texts()};
    c.include_folders = texts();
    if (coin()) c.dtype = static_cast<search::ElementType>(below(14));
    c.cases = several([this] { return sizes(); });
    c.timing = static_cast<search::CudaBackend::Timing>(below(3));
    c.compiler_word = text();
    c.flag_parameters = flag_parameters();
    c.arguments = several([this] { return argument(); });
    c.tensor_maps = several([this] { return tensor_map(); });
    c.launches = launches();
    c.prepare = launches();
    c.reference_launches = launches();
    c.gates = several([this] {
      return search::CudaGate{static_cast<std::uint32_t>(random_()), number(), number()};
    });
    c.figures = several([this] { return static_cast<search::OwnFigure>(below(17)); });
    c.bytes = maybe_expression();
    c.flops = maybe_expression();
    c.deterministic = coin();
    c.names = static_cast<search::SourceNames>(below(3));
    return c;
  }
  search::Backend backend() {
    switch (below(4)) {
      case 0:
        return search::HostBackend{text(),
                                   source(),
                                   source(),
                                   source(),
                                   several([this] { return sizes(); }),
                                   flag_parameters(),
                                   several([this] { return argument(); }),
                                   tolerance(),
                                   static_cast<search::SourceNames>(below(3))};
      case 1:
        return search::CommandBackend{static_cast<search::CommandBackend::Mode>(below(2)),
                                      texts(),
                                      texts(),
                                      text_pairs(),
                                      text(),
                                      several([this] {
                                        return search::FigureRule{
                                            static_cast<search::FigureRule::Source>(below(4)),
                                            text(), coin()};
                                      }),
                                      small(),
                                      coin(),
                                      texts(),
                                      texts(),
                                      flag_parameters(),
                                      text_pairs(),
                                      texts(),
                                      1 + static_cast<int>(below(2)),
                                      coin(),
                                      texts()};
      case 2:
        return cuda();
      default:
        return search::RecordedBackend{text(), small(), number()};
    }
  }
  search::Problem problem() {
    search::Problem p;
    p.name = text();
    p.file = text();
    p.backend = backend();
    p.target = search::usual_target(p.backend);
    if (coin() && search::can_run_on(p.backend, search::Target::kGpus)) {
      p.target = search::Target::kGpus;
    }
    p.parameters = several([this] { return parameter(); });
    p.constraints = several([this] { return expression(); });
    p.objectives = several([this] {
      search::Objective o{text(), text(), static_cast<search::Direction>(below(2))};
      o.role = static_cast<search::Role>(below(4));
      o.statistic = static_cast<search::Statistic>(below(5));
      if (coin()) o.weight = number();
      if (coin()) o.at_most = number();
      if (coin()) o.at_least = number();
      o.difference_scale = number();
      return o;
    });
    p.cases.aggregate = static_cast<search::Aggregate>(below(3));
    p.cases.names = texts();
    p.cases.weights = {number(), number()};
    p.notes = texts();
    p.scalarisation = static_cast<search::Scalarisation>(below(2));
    p.baseline = configuration();
    p.sampling = sampling();
    p.limits = {number(), number(), number(), number(),  number(),
                number(), number(), number(), random_(), random_()};
    p.budget = {number(), number(), random_(), random_()};
    p.scheduling = {text(),
                    configuration().entries(),
                    static_cast<search::Effort>(below(3)),
                    random_(),
                    several([this] { return configuration(); }),
                    several([this] { return text(); }),
                    several([this] { return text(); }),
                    several([this] { return expression(); }),
                    small(),
                    small(),
                    small(),
                    static_cast<search::Normalisation>(below(4)),
                    number(),
                    small(),
                    number(),
                    coin(),
                    small(),
                    small()};
    p.acceptance = {number(),
                    number(),
                    false,  // no file says it, nor the next two
                    0,
                    {},
                    static_cast<search::Consensus>(below(4)),
                    small(),
                    static_cast<search::DuelTest>(below(4)),
                    static_cast<search::TailRule>(below(3)),
                    coin(),
                    number(),
                    small(),
                    small(),
                    small(),
                    number(),
                    small(),
                    number(),
                    small(),
                    small(),
                    small(),
                    configuration()};
    p.device = {small(), small(), number(), coin()};
    return p;
  }

  std::mt19937_64 random_;
};

}  // namespace nightshift::ipc
