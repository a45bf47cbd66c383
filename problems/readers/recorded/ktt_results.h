#pragma once

#include <string>
#include <string_view>

#include "problems/readers/recorded/recording.h"

namespace nightshift::problems {

// What the Kernel Tuning Toolkit writes: {Metadata {Device, TimeUnit}, Results [{KernelName,
// Status, TotalDuration, TotalOverhead, CompilationOverhead, Configuration [{Name, Value}],
// ComputationResults [{CompilationOverhead}]}]}, or the same as XML, whose members are attributes.
// The figure is TotalDuration, one repetition. Status other than Ok is a failure. Overheads contain
// the compiler's, which newer versions name on its own. Units are those of TimeUnit; where there is
// none, milliseconds, which is remarked.
class KttResults final : public RecordingReader {
 public:
  static constexpr const char* kEntries = "Results";

  void header(const std::string& key, const Json& value) override;
  bool ready() const override { return true; }
  void entry(const std::string& key, const Json& entry) override;
  Recording finish() override;

 private:
  search::Configuration configuration_of(const Json& entry);

  Recording recording_;
  std::string time_unit_;  // empty: none was named
};

// Hands a document in KTT's XML form to `reader` as its JSON form would be. Throws
// RecordedSpaceError with the line.
void read_ktt_xml(std::string_view xml, RecordingReader& reader);

}  // namespace nightshift::problems
