#pragma once

#include "ipc/archive.h"
#include "search/problem.h"

// The fields of a problem; see trial_io.h for the structured bindings.
namespace nightshift::ipc::codec {

template <>
inline constexpr auto kLast<search::ParameterType> = search::ParameterType::kString;
template <>
inline constexpr auto kLast<search::Target> = search::Target::kRecording;
template <>
inline constexpr auto kLast<search::Direction> = search::Direction::kMaximise;
template <>
inline constexpr auto kLast<search::Scalarisation> = search::Scalarisation::kEfficiency;
template <>
inline constexpr auto kLast<search::Role> = search::Role::kAccuracy;
template <>
inline constexpr auto kLast<search::Statistic> = search::Statistic::kTrimmedMean;
template <>
inline constexpr auto kLast<search::Trust> = search::Trust::kNone;
template <>
inline constexpr auto kLast<search::Timed> = search::Timed::kForProfiler;
template <>
inline constexpr auto kLast<search::Normalisation> = search::Normalisation::kNone;
template <>
inline constexpr auto kLast<search::Consensus> = search::Consensus::kFleet;
template <>
inline constexpr auto kLast<search::DuelTest> = search::DuelTest::kFixed;
template <>
inline constexpr auto kLast<search::TailRule> = search::TailRule::kReject;
template <>
inline constexpr auto kLast<search::ElementType> = search::ElementType::kFloat8E5M2;
template <>
inline constexpr auto kLast<search::Argument::Access> = search::Argument::Access::kWork;
template <>
inline constexpr auto kLast<search::Argument::Fill> = search::Argument::Fill::kFile;
template <>
inline constexpr auto kLast<search::FigureRule::Source> = search::FigureRule::Source::kWallTime;
template <>
inline constexpr auto kLast<search::CommandBackend::Mode> = search::CommandBackend::Mode::kServer;
template <>
inline constexpr auto kLast<search::CudaFigure> = search::CudaFigure::kError;
template <>
inline constexpr auto kLast<search::CudaBackend::Compiler> = search::CudaBackend::Compiler::kAny;
template <>
inline constexpr auto kLast<search::CudaBackend::Aggregate> = search::CudaBackend::Aggregate::kSum;
template <>
inline constexpr auto kLast<search::SourceNames> = search::SourceNames::kDefinitions;
template <>
inline constexpr auto kLast<search::CudaBackend::Timing> = search::CudaBackend::Timing::kEvents;

template <class Archive>
void io(Archive& archive, search::Parameter& m) {
  auto& [name, type, values, default_value, active_when, weights] = m;
  all(archive, name, type, values, default_value, active_when, weights);
}

template <class Archive>
void io(Archive& archive, search::Objective& m) {
  auto& [name, unit, direction, weight, role, statistic, at_most, at_least, difference_scale] = m;
  all(archive, name, unit, direction, weight, role, statistic, at_most, at_least, difference_scale);
}

template <class Archive>
void io(Archive& archive, search::SamplingPlan& m) {
  auto& [samples, most_samples, precision, give_up_ratio, warm_up_runs, warm_up_seconds,
         min_sample_seconds, max_seconds, cold_cache, trust, timed] = m;
  all(archive, samples, most_samples, precision, give_up_ratio, warm_up_runs, warm_up_seconds,
      min_sample_seconds, max_seconds, cold_cache, trust, timed);
}

template <class Archive>
void io(Archive& archive, search::Limits& m) {
  auto& [boot, build, prepare, verify, measure, trial, times_baseline, memory_bytes, output_bytes] =
      m;
  all(archive, boot, build, prepare, verify, measure, trial, times_baseline, memory_bytes,
      output_bytes);
}

template <class Archive>
void io(Archive& archive, search::Tolerance& m) {
  auto& [relative, absolute] = m;
  all(archive, relative, absolute);
}

template <class Archive>
void io(Archive& archive, search::Argument& m) {
  auto& [name, type, scalar, access, size, value, fill, low, high, constant_array, file,
         tolerance] = m;
  all(archive, name, type, scalar, access, size, value, fill, low, high, constant_array, file,
      tolerance);
}

template <class Archive>
void io(Archive& archive, search::HostSource& m) {
  auto& [file, function, flags] = m;
  all(archive, file, function, flags);
}

template <class Archive>
void io(Archive& archive, search::FlagParameter& m) {
  auto& [parameter, pattern] = m;
  all(archive, parameter, pattern);
}

template <class Archive>
void io(Archive& archive, search::HostBackend& m) {
  auto& [compiler, kernel, baseline, reference, sizes, flag_parameters, arguments,
         floating_tolerance, integer_tolerance, names] = m;
  all(archive, compiler, kernel, baseline, reference, sizes, flag_parameters, arguments,
      floating_tolerance, integer_tolerance, names);
}

template <class Archive>
void io(Archive& archive, search::FigureRule& m) {
  auto& [source, key] = m;
  all(archive, source, key);
}

template <class Archive>
void io(Archive& archive, search::CommandBackend& m) {
  auto& [mode, argv, baseline_argv, environment, directory, figures, runs, numbered, build,
         baseline_build, flag_parameters, build_environment, inputs, protocol, builds] = m;
  all(archive, mode, argv, baseline_argv, environment, directory, figures, runs, numbered, build,
      baseline_build, flag_parameters, build_environment, inputs, protocol, builds);
}

template <class Archive>
void io(Archive& archive, search::RecordedBackend& m) {
  auto& [file, samples, noise] = m;
  all(archive, file, samples, noise);
}

template <class Archive>
void io(Archive& archive, search::CudaSource& m) {
  auto& [file, flags] = m;
  all(archive, file, flags);
}

template <class Archive>
void io(Archive& archive, search::CudaLaunch& m) {
  auto& [kernel, grid, block, cluster, shared_bytes, when, programmatic, arguments] = m;
  all(archive, kernel, grid, block, cluster, shared_bytes, when, programmatic, arguments);
}

template <class Archive>
void io(Archive& archive, search::TensorMap& m) {
  auto& [name, argument, extent, pitch, box, swizzle, l2_promotion] = m;
  all(archive, name, argument, extent, pitch, box, swizzle, l2_promotion);
}

template <class Archive>
void io(Archive& archive, search::CudaGate& m) {
  auto& [argument, norm, element] = m;
  all(archive, argument, norm, element);
}

template <class Archive>
void io(Archive& archive, search::CudaBackend& m) {
  auto& [compiler, compiler_word, compiler_argv, compiler_directory, kernel, reference,
         include_folders, dtype, cases, aggregate, timing, flag_parameters, arguments, tensor_maps,
         launches, prepare, reference_launches, gates, figures, bytes, flops, deterministic,
         names] = m;
  all(archive, compiler, compiler_word, compiler_argv, compiler_directory, kernel, reference,
      include_folders, dtype, cases, aggregate, timing, flag_parameters, arguments, tensor_maps,
      launches, prepare, reference_launches, gates, figures, bytes, flops, deterministic, names);
}

template <class Archive>
void io(Archive& archive, search::Budget& m) {
  auto& [seconds, simulated_seconds, trials, stall] = m;
  all(archive, seconds, simulated_seconds, trials, stall);
}

template <class Archive>
void io(Archive& archive, search::SchedulingSettings& m) {
  auto& [searcher, seed, starts, starts_files, warm_start, expected, multiprocessors, outstanding,
         builders, normalisation, given_baseline, rebaseline_trials, rebaseline_seconds,
         process_per_trial, hot_spares, cores_per_device, fill_with_devices] = m;
  all(archive, searcher, seed, starts, starts_files, warm_start, expected, multiprocessors,
      outstanding, builders, normalisation, given_baseline, rebaseline_trials, rebaseline_seconds,
      process_per_trial, hot_spares, cores_per_device, fill_with_devices);
}

template <class Archive>
void io(Archive& archive, search::AcceptanceSettings& m) {
  auto& [level, min_improvement, consensus, majority, test, tail, duels, duel_margin, devices,
         devices_least, max_pairs, duel_share, self_test_pairs, self_test_seconds, hold_out_least,
         hold_out_most, canary, finish_margin, finish_share, front_pairs, front_share] = m;
  all(archive, level, min_improvement, consensus, majority, test, tail, duels, duel_margin, devices,
      devices_least, max_pairs, duel_share, self_test_pairs, self_test_seconds, hold_out_least,
      hold_out_most, canary, finish_margin, finish_share, front_pairs, front_share);
}

template <class Archive>
void io(Archive& archive, search::DeviceSettings& m) {
  auto& [clock_mhz, mem_clock_mhz, power_watts, strict] = m;
  all(archive, clock_mhz, mem_clock_mhz, power_watts, strict);
}

template <class Archive>
void io(Archive& archive, search::Problem& m) {
  auto& [name, file, backend, target, parameters, constraints, objectives, scalarisation, baseline,
         sampling, limits, budget, scheduling, acceptance, device, notes] = m;
  all(archive, name, file, backend, target, parameters, constraints, objectives, scalarisation,
      baseline, sampling, limits, budget, scheduling, acceptance, device, notes);
  if constexpr (Archive::kReads) {
    if (!search::can_run_on(backend, target)) {
      throw DecodeError("a backend that cannot run on its target");
    }
  }
}

}  // namespace nightshift::ipc::codec
