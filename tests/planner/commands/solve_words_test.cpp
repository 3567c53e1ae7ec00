// Tests that commands for another number of ranks keep all other options.
#include "planner/commands/solve_words.hpp"

#include <doctest/doctest.h>

namespace cnnplan::test {

TEST_CASE("solve words: every form of the number of ranks is replaced") {
  const std::string command = "cnnplan solve net --batch 8 --ranks 2";
  CHECK(solve_for_ranks({"net", "--ranks", "16", "--batch", "8"}, 2) == command);
  CHECK(solve_for_ranks({"net", "--ranks=16", "--batch", "8"}, 2) == command);
  CHECK(solve_for_ranks({"net", "-r", "16", "--batch", "8"}, 2) == command);
  CHECK(solve_for_ranks({"net", "-r16", "--batch", "8"}, 2) == command);
  CHECK(solve_for_ranks({"--nodes", "4", "--ranks-per-node=4", "net", "--batch", "8"}, 2) ==
        command);
}

TEST_CASE("solve words: options that begin alike stay, and odd words are quoted") {
  CHECK(solve_for_ranks({"my net.json", "--recompute", "never"}, 1) ==
        "cnnplan solve 'my net.json' --recompute never --ranks 1");
  CHECK(solve_for_ranks({"it's", "--what-if", "gpu.alpha_s*2"}, 1) ==
        "cnnplan solve 'it'\\''s' --what-if 'gpu.alpha_s*2' --ranks 1");
}

}  // namespace cnnplan::test
