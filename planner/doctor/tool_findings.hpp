// Looks for the programs of others that cnnplan and its users start: mpirun and smpirun.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/doctor/child_program.hpp"
#include "planner/doctor/finding.hpp"

namespace cnnplan {

// The name of the finding about the MPI library, which mpirun has to fit.
inline constexpr const char* mpi_library_name = "MPI library";

// Returns the path of the first program of this name in `folders`, a list such as PATH with colons
// between the folders. Returns nothing if none of them has it.
std::optional<std::string> program_in(const std::string& folders, const std::string& name);

// Returns the finding about mpirun. `version` is what `mpirun --version` printed. `library` is the
// text of the finding about the MPI library that the programs use, and empty where it is not known.
// An mpirun of another MPI would start ranks that do not know each other.
Finding mpirun_finding(const ChildResult& version, const std::string& library);

// Returns the finding about SimGrid. `smpirun` is the path of its program, or nothing if
// program_in() did not find it.
Finding simgrid_finding(const std::optional<std::string>& smpirun);

}  // namespace cnnplan
