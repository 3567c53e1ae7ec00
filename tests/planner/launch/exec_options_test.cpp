// Tests which words for cnnexec are refused, and with which message.
#include "planner/launch/exec_options.hpp"

#include <doctest/doctest.h>

namespace cnnplan::test {

TEST_CASE("exec options: what cnnexec takes is not refused") {
  using Words = std::vector<std::string>;
  for (const Words& words : std::vector<Words>{{},
                                               {"--data", "train.h5", "--epochs=90", "--mirror"},
                                               {"--crop", "4", "--crop", "--nccl", "--crop=4"},
                                               {"-o", "-", "-qv", "-orun.json"},
                                               {"--learning-rate", "-1"},
                                               {"--verify=reference"}}) {
    CHECK(problem_of_exec_words(words) == "");
  }
}

TEST_CASE("exec options: the first word that cnnexec refuses is named") {
  CHECK(problem_of_exec_words({"--nccl", "--epoch", "9"}) ==
        "after --: cnnexec has no option --epoch; did you mean --epochs?");
  CHECK(problem_of_exec_words({"--frobnicate=1"}) ==
        "after --: cnnexec has no option --frobnicate; cnnexec --help lists its options");
  CHECK(problem_of_exec_words({"-vx"}) ==
        "after --: cnnexec has no option -x; cnnexec --help lists its options");
  CHECK(problem_of_exec_words({"--steps", "3", "train.h5"}) ==
        "after --: 'train.h5' belongs to no option of cnnexec");
  CHECK(problem_of_exec_words({"--nccl", "--data"}) == "after --: --data of cnnexec needs a value");
  CHECK(problem_of_exec_words({"-s", "plan.json"}) ==
        "after --: -s names the plan, as launch does");
}

}  // namespace cnnplan::test
