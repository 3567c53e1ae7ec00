// Tests the words that start ranks.
#include "planner/launch/launch_words.hpp"

#include <doctest/doctest.h>

#include "tests/planner/base/problem_of.hpp"

namespace cnnplan::test {
namespace {

const Placement on_cores{
    .ranks = 16, .ranks_per_node = 8, .threads_per_rank = 2, .cores_per_rank = 4};
const Placement on_gpus{.ranks = 16, .ranks_per_node = 8, .gpus_per_node = 8};

}  // namespace

TEST_CASE("launch words: srun fills nodes with consecutive ranks") {
  CHECK(shell_command(srun_words(on_cores)) ==
        "srun --mpi=pmix --nodes=2 --ntasks=16 --ntasks-per-node=8 --cpus-per-task=4 "
        "--distribution=block:block --cpu-bind=cores --wait=60 --export=ALL,OMP_NUM_THREADS=2");
  CHECK(shell_command(srun_words(on_gpus, "pmix_v4")) ==
        "srun --mpi=pmix_v4 --nodes=2 --ntasks=16 --ntasks-per-node=8 --cpus-per-task=1 "
        "--distribution=block:block --cpu-bind=cores --wait=60 --gpus-per-node=8 --gpu-bind=none");
}

TEST_CASE("launch words: mpirun fills nodes with consecutive ranks") {
  CHECK(shell_command(mpirun_words(on_cores, "my hosts")) ==
        "mpirun -n 16 --hostfile 'my hosts' --map-by ppr:8:node:PE=4 --bind-to core "
        "-x OMP_NUM_THREADS=2");
  CHECK(shell_command(mpirun_words(on_gpus)) ==
        "mpirun -n 16 --map-by ppr:8:node:PE=1 --bind-to core");
}

TEST_CASE("launch words: the ranks run in the folder") {
  CHECK(contains(shell_command(srun_words(on_gpus, "pmix", "/a b")), " '--chdir=/a b'"));
  CHECK(contains(shell_command(mpirun_words(on_gpus, "", "/a b")), "-n 16 --wdir '/a b' --map-by"));
}

TEST_CASE("launch words: each word is quoted for a shell") {
  CHECK(shell_command({"cnnexec", "it's a plan.json", "$HOME", "--epochs=9"}) ==
        "cnnexec 'it'\\''s a plan.json' '$HOME' --epochs=9");
}

}  // namespace cnnplan::test
