#pragma once

#include "ipc/archive.h"
#include "search/problem.h"
#include "search/trial.h"

// Where the enumerations of problems and trials end; a byte beyond is no message.
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
inline constexpr auto kLast<search::Statistic> = search::kStatistics.back();
template <>
inline constexpr auto kLast<search::Trust> = search::Trust::kNone;
template <>
inline constexpr auto kLast<search::Timed> = search::Timed::kForProfiler;
template <>
inline constexpr auto kLast<search::Effort> = search::Effort::kFull;
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
inline constexpr auto kLast<search::FigureRule::Source> = search::FigureRule::Source::kMeasured;
template <>
inline constexpr auto kLast<search::CommandBackend::Mode> = search::CommandBackend::Mode::kServer;
template <>
inline constexpr auto kLast<search::OwnFigure> = search::OwnFigure::kPeakMemory;
template <>
inline constexpr auto kLast<search::CudaBackend::Compiler> = search::CudaBackend::Compiler::kAny;
template <>
inline constexpr auto kLast<search::Aggregate> = search::Aggregate::kWorst;
template <>
inline constexpr auto kLast<search::SourceNames> = search::SourceNames::kDefinitions;
template <>
inline constexpr auto kLast<search::CudaBackend::Timing> = search::CudaBackend::Timing::kEvents;
template <>
inline constexpr auto kLast<search::Phase> = search::Phase::kShutdown;
template <>
inline constexpr auto kLast<search::Crashed::Cause> = search::Crashed::Cause::kDeviceError;

}  // namespace nightshift::ipc::codec
