// Finds the other ranks of this program on this host by the environment that the launcher gave
// them.
#pragma once

#include <vector>

namespace cnnplan {

// Describes a process of this program on this host.
struct JobProcess {
  int pid = 0;
  int rank = 0;    // in the launcher's count, which is MPI's
  char state = 0;  // as in /proc: R running, S sleeping, D in the kernel, T stopped; 0: not known

  bool is_stopped() const { return state == 'T'; }
};

// Lists all ranks on this host in ascending order, this one among them. The list is empty where no
// launcher with PMIx started this process, or where /proc cannot be read.
std::vector<JobProcess> job_processes();

// Kills all stopped ranks on this host, which cannot end by themselves, and the rank `lost` if it
// is on this host and not -1. This process is left alone. Use it when the program ends.
void kill_lost_processes(int lost);

}  // namespace cnnplan
