#include "tools/slurm/slurm_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightshift::tools {
namespace {

TEST(SlurmText, TheNumberOfAJobStandsInTheLastLine) {
  EXPECT_EQ(parse_submitted("4711\n")->number, "4711");
  const auto job = parse_submitted("sbatch: lua: welcome\n12;blue\n");
  EXPECT_EQ(job->number, "12");
  EXPECT_EQ(job->cluster, "blue");
  for (const char* text :
       {"", "\n", "Submitted batch job 12", ";blue", "12 \n", "-1", "1234567890123456789"}) {
    EXPECT_FALSE(parse_submitted(text)) << text;
  }
}

TEST(SlurmText, AQueueIsALineAJob) {
  const auto jobs = parse_queue("12_1|PENDING|Priority|\n12_2|RUNNING|None|node[1-2]\n");
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].id, "12_1");
  EXPECT_EQ(jobs[0].reason, "Priority");
  EXPECT_EQ(jobs[0].nodes, "");
  EXPECT_EQ(jobs[1].reason, "");
  EXPECT_EQ(jobs[1].nodes, "node[1-2]");
}

TEST(SlurmText, WhatIsNoJobIsLeftOut) {
  EXPECT_TRUE(parse_queue("").empty());
  EXPECT_TRUE(parse_queue("JOBID|STATE\nwelcome\n12|RUNNING|None\n|RUNNING|None|node1\n").empty());
  EXPECT_EQ(parse_queue("12|RUNNING|a\x1b[2J|node1\n").front().reason.find('\x1b'),
            std::string::npos);
}

TEST(SlurmText, AJobIsFoundByItsScript) {
  const std::string script = R"(/d/o'dd "x" 50% a|b/job.sh)";
  const std::string queue = "9|" + script + "\n12|" + script + "\n12|" + script + "\n11|" + script +
                            "\n13|" + script + ".old\n14|/d/job.sh\n";
  EXPECT_EQ(job_of_script(queue, script), "12");
  EXPECT_EQ(job_of_script(queue, "/e/job.sh"), "");
  for (const char* text : {"", "\n", "12\n", "12|", "|/d/job.sh", "x|/d/job.sh", "-1|/d/job.sh"}) {
    EXPECT_EQ(job_of_script(text, "/d/job.sh"), "") << text;
  }
}

TEST(SlurmText, WhatTheControllerHasNotAnsweredMayBeDone) {
  const std::string failed = "sbatch: error: Batch job submission failed: ";
  for (const char* words :
       {"Socket timed out on send/recv operation", "Zero Bytes were transmitted or received",
        "Unable to contact slurm controller (receive failure)"}) {
    EXPECT_TRUE(may_be_done(failed + words)) << words;
  }
  for (const char* words : {"Invalid partition name specified",
                            "Unable to contact slurm controller (connect failure)", ""}) {
    EXPECT_FALSE(may_be_done(failed + words)) << words;
  }
}

TEST(SlurmText, AJobIsToldInALine) {
  EXPECT_EQ(queue_state_text({}), "no longer in the queue");
  EXPECT_EQ(queue_state_text({{"1", "PENDING", "Priority", ""}}), "PENDING (Priority)");
  EXPECT_EQ(queue_state_text({{"1", "PENDING", "", ""}}), "PENDING");
  EXPECT_EQ(queue_state_text({{"1", "RUNNING", "", "node1"}}), "RUNNING on node1");
  EXPECT_EQ(queue_state_text({{"1_1", "RUNNING", "", "node1"},
                              {"1_2", "RUNNING", "", "node2"},
                              {"1_3", "PENDING", "Priority", ""}}),
            "1 task PENDING, 2 tasks RUNNING");
}

TEST(SlurmText, AJobKnowsItsEndAndWhetherItMayBeQueuedAgain) {
  const JobTerms terms = parse_job_terms(
      "JobId=2 JobName=a Requeue=0 EndTime=5 UserId=root(0) Requeue=1 Restarts=0 "
      "StartTime=1700000000 EndTime=1700003600 Deadline=N/A Command=/x EndTime=7 Requeue=0 x\n");
  EXPECT_EQ(terms.end, 1700003600);
  EXPECT_TRUE(terms.may_requeue);
  const JobTerms unknown = parse_job_terms("JobId=2 Requeue=0 EndTime=Unknown Command=x");
  EXPECT_FALSE(unknown.end);
  EXPECT_FALSE(unknown.may_requeue);
  EXPECT_FALSE(parse_job_terms("").end);
  EXPECT_FALSE(parse_job_terms("").runs);
}

TEST(SlurmText, AJobKnowsWhetherItIsToGo) {
  const JobTerms runs = parse_job_terms(
      "JobId=2 JobName=a JobState=FAILED x JobState=RUNNING StartTime=100 PreemptTime=None "
      "BatchHost=node-3.a Command=/x");
  EXPECT_TRUE(runs.runs);
  EXPECT_FALSE(runs.preempted);
  EXPECT_EQ(runs.batch_host, "node-3.a");
  EXPECT_TRUE(parse_job_terms("JobId=2 StartTime=100 PreemptTime=100 Command=x").preempted);
  EXPECT_FALSE(parse_job_terms("JobId=2 StartTime=100 PreemptTime=99 Command=x").preempted);
  EXPECT_FALSE(parse_job_terms("JobId=2 JobState=COMPLETING Command=x").runs);
}

TEST(SlurmText, ANodeThatSlurmHasLost) {
  for (const char* lost : {"DOWN", "DOWN*+DRAIN", "ALLOCATED*", "IDLE+NOT_RESPONDING", "FAIL"}) {
    EXPECT_TRUE(is_lost_node(std::string("NodeName=a State=") + lost + " Weight=1")) << lost;
  }
  for (const char* there : {"ALLOCATED", "IDLE+DRAIN", "MIXED", ""}) {
    EXPECT_FALSE(is_lost_node(std::string("NodeName=a State=") + there + " Weight=1")) << there;
  }
}

TEST(SlurmText, HostNamesAreALineEach) {
  EXPECT_THAT(parse_host_names("node1\nb-2.example\n\n-w\na b\n$(x)\n"),
              ::testing::ElementsAre("node1", "b-2.example"));
}

}  // namespace
}  // namespace nightshift::tools
