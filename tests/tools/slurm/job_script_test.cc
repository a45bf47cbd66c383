#include "tools/slurm/job_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

JobScript plain() {
  JobScript script;
  script.batch = "night";
  script.folder = "/data/batches/night";
  script.directory = "/data";
  script.program = "/opt/nightshift";
  script.run = {"/data/night.toml"};
  return script;
}

TEST(JobScript, IsFlagsThenSetUpThenOneCommand) {
  JobScript script = plain();
  script.flags = {"--time=8:00:00"};
  script.setup = {"module load cuda"};
  EXPECT_EQ(job_script_text(script), R"(#!/bin/bash
# Written by `nightshift submit`, and submitted as it is once it has been changed here.
#SBATCH --job-name="night"
#SBATCH --chdir="/data"
#SBATCH --output="/data/batches/night/slurm-%j.log"
#SBATCH --open-mode=append
#SBATCH --nodes=1 --ntasks=1
#SBATCH --requeue
#SBATCH --signal=B:USR2@120
#SBATCH --time=8:00:00
# One # less, and nobody else's work on the node disturbs what is measured:
##SBATCH --exclusive

module load cuda
exec /opt/nightshift in-job --reserve 120s -- \
  /opt/nightshift batch run /data/night.toml --batch /data/batches/night --grace 20s
)");
}

TEST(JobScript, AnArrayRunsTheShardOfItsTask) {
  JobScript script = plain();
  script.shards = {1, 2, 3, 7};
  const std::string text = job_script_text(script);
  EXPECT_THAT(text, HasSubstr("#SBATCH --array=1-3,7\n"));
  EXPECT_THAT(text, HasSubstr("slurm-%A_%a.log"));
  EXPECT_THAT(text, HasSubstr("batch run /data/batches/night/shards/\"$SLURM_ARRAY_TASK_ID\" "));
  EXPECT_THAT(text, Not(HasSubstr("night.toml")));
}

TEST(JobScript, SeveralNodesHaveAnAgentEach) {
  JobScript script = plain();
  script.nodes = "2-4";
  const std::string text = job_script_text(script);
  EXPECT_THAT(text, HasSubstr("#SBATCH --nodes=2-4\n#SBATCH --no-kill\n#SBATCH --requeue\n"));
  EXPECT_THAT(text, HasSubstr("--batch /data/batches/night --nodes slurm --grace"));
  EXPECT_THAT(text, Not(HasSubstr("--ntasks")));  // else Slurm gives no more than the least
}

TEST(JobScript, WhatFitsIsToldTheTimeThatIsLeft) {
  JobScript script = plain();
  script.fits = true;
  EXPECT_THAT(job_script_text(script), HasSubstr("--time {left}\n"));
}

TEST(JobScript, QuotesHoldWhateverANameHas) {
  JobScript script = plain();
  script.batch = R"(it's "50%" $HOME \ x)";
  script.folder = "/d/it's 50%";
  script.run = {"/d/it's.toml"};
  script.flags = {R"(--comment=a "b")", "-J other name"};
  const std::string text = job_script_text(script);
  EXPECT_THAT(text, HasSubstr(R"(--job-name="it's \"50%\" $HOME \\ x")"));
  EXPECT_THAT(text, HasSubstr(R"(--output="/d/it's 50%%/slurm-%j.log")"));
  EXPECT_THAT(text, HasSubstr(R"(batch run '/d/it'\''s.toml' --batch '/d/it'\''s 50%' --grace)"));
  EXPECT_THAT(text, HasSubstr(R"(#SBATCH --comment="a \"b\"")"));
  EXPECT_THAT(text, HasSubstr(R"(#SBATCH -J "other name")"));
}

TEST(JobScript, WhatNoQuotesHoldIsRefused) {
  JobScript script = plain();
  script.batch = "a\n#SBATCH --uid=0";
  EXPECT_THROW(job_script_text(script), UsageError);
  script = plain();
  script.folder = "/data/back\\slash";
  EXPECT_THROW(job_script_text(script), UsageError);
  script = plain();
  script.flags = {"--comment=a\nrm -rf x"};
  EXPECT_THROW(job_script_text(script), UsageError);
}

TEST(JobScript, TasksOfAnArrayAreNamedInRanges) {
  EXPECT_EQ(array_text({1}), "1");
  EXPECT_EQ(array_text({1, 2, 4, 6, 7, 8}), "1-2,4,6-8");
}

TEST(JobScript, NamesItsClusters) {
  JobScript script = plain();
  EXPECT_EQ(clusters_of_script(job_script_text(script)), "");
  for (const char* flag : {"--clusters=blue", "-M blue", "-Mblue", "--clusters blue"}) {
    script.flags = {"--cluster-constraint=red", flag};
    EXPECT_EQ(clusters_of_script(job_script_text(script)), "blue") << flag;
  }
  script.flags = {"-M blue", "--clusters=red,green"};
  EXPECT_EQ(clusters_of_script(job_script_text(script)), "red,green");
  EXPECT_EQ(clusters_of_script("#SBATCH -M"), "");
  EXPECT_EQ(clusters_of_script("# -M blue\necho -M blue\n"), "");
}

TEST(JobScript, FlagsTakeTheirValues) {
  EXPECT_THAT(joined_flags({"-A", "me", "--mail-type=END", "-J", "a", "b"}),
              ElementsAre("-A me", "--mail-type=END", "-J a b"));
}

}  // namespace
}  // namespace nightshift::tools
