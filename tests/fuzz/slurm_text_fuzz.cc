// What the programs of Slurm print, and the file that names a batch's job: whatever it is, numbers
// are digits, texts are fit for a terminal, and ends of jobs are times.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tools/slurm/slurm_text.h"
#include "tools/submit/submission.h"

namespace {

using namespace nightshift::tools;

void expect(bool holds) {
  if (!holds) std::abort();
}

void expect_printable(const std::string& text) {
  for (const char c : text) expect(static_cast<unsigned char>(c) >= 32);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto job = parse_submitted(text)) {
    expect(is_job_number(job->number));
    expect_printable(job->cluster);
  }
  const auto jobs = parse_queue(text);
  for (const QueuedJob& job : jobs) {
    expect(!job.id.empty() && !job.state.empty());
    for (const std::string* part : {&job.id, &job.state, &job.reason, &job.nodes}) {
      expect_printable(*part);
    }
  }
  expect_printable(queue_state_text(jobs));
  const std::string number = job_of_script(text, "/b/job.sh");
  expect(number.empty() || is_job_number(number));
  const JobTerms terms = parse_job_terms(text);
  expect(!terms.end || (std::isfinite(*terms.end) && *terms.end >= 0));
  expect_printable(terms.batch_host);
  (void)is_lost_node(text);
  for (const std::string& name : parse_host_names(text)) {
    expect(!name.empty() && name.front() != '-');
    expect_printable(name);
  }
  if (const auto submission = parse_submission(text)) {
    expect(submission->job.number.empty() || is_job_number(submission->job.number));
    expect_printable(submission->job.cluster);
  }
  return 0;
}
