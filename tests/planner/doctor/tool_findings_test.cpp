// Tests the search in PATH, and that an mpirun of another MPI is found.
#include "planner/doctor/tool_findings.hpp"

#include <optional>
#include <string>

#include <doctest/doctest.h>

using namespace cnnplan;

namespace {

FindingState mpirun_state(const std::string& output, const std::string& library, int code = 0) {
  return mpirun_finding({.code = code, .output = output}, library).state;
}

}  // namespace

TEST_CASE("Tool findings: the first folder of PATH with the program counts") {
  CHECK(program_in("/no/such/folder:/bin:/usr/bin", "sh") == "/bin/sh");
  CHECK(program_in("/no/such/folder", "sh") == std::nullopt);
  CHECK(program_in("", "sh") == std::nullopt);
}

TEST_CASE("Tool findings: mpirun has to be of the MPI library that the programs use") {
  const std::string open_mpi = "mpirun (Open MPI) 4.1.4\n\nReport bugs";
  const std::string mpich = "HYDRA build details:\n    Version: 4.0.2\n";
  CHECK(mpirun_state(open_mpi, "Open MPI v4.1.4") == FindingState::present);
  CHECK(mpirun_state(mpich, "MPICH Version: 4.0.2") == FindingState::present);
  CHECK(mpirun_state(mpich, "Open MPI v4.1.4") == FindingState::missing);
  CHECK(mpirun_state(open_mpi, "MPICH Version: 4.0.2") == FindingState::missing);
  CHECK(mpirun_state(mpich, "") == FindingState::present);
  CHECK(mpirun_finding({.output = open_mpi}, "").text == "mpirun (Open MPI) 4.1.4");
}

TEST_CASE("Tool findings: an mpirun that does not answer is missing") {
  CHECK(mpirun_state("", "", 127) == FindingState::missing);
  CHECK(mpirun_state("", "") == FindingState::missing);
  CHECK(mpirun_finding({.end = ChildEnd::timed_out, .output = "x"}, "").state ==
        FindingState::missing);
}

TEST_CASE("Tool findings: SimGrid is there if its program is") {
  CHECK(simgrid_finding("/usr/bin/smpirun").state == FindingState::present);
  CHECK(simgrid_finding(std::nullopt).state == FindingState::missing);
}
