// What the MPI programs share: start and end, and one message for what goes wrong.
#pragma once

#include <functional>
#include <string>

#include "executor/comm/communicator.hpp"

namespace cnnplan {

// Starts MPI, runs `body` on every rank with a communicator of all, and returns the exit code. What
// `body` throws on all ranks is printed once, by rank 0; what it throws on some of them is printed
// by these with their rank, and ends all ranks.
int run_program(const std::string& name,
                int argc,
                char** argv,
                const std::function<void(const Communicator& world)>& body);

// Runs `action` on rank 0. What it throws there, the others throw as an Error of the same exit code
// and message. Collective, blocking.
void on_first_rank(const Communicator& world, const std::function<void()>& action);

// Runs `action` on every rank. Where it throws on some of them, all throw: these what they threw,
// the others an Error with the exit code and the message of the first of these. Collective,
// blocking.
void on_every_rank(const Communicator& world, const std::function<void()>& action);

// The content of a file that rank 0 reads, on all ranks. Collective, blocking. @throws Error
std::string read_shared_file(const Communicator& world, const std::string& file);

}  // namespace cnnplan
