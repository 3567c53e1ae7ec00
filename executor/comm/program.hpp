// Starts and ends the MPI programs, and prints an error that all ranks have only once.
#pragma once

#include <functional>
#include <string>

#include "executor/comm/communicator.hpp"

namespace cnnplan {

// This is the default of --comm-timeout, in seconds: when a rank has waited for longer for another
// one, which shows no progress, the other one is lost.
inline constexpr double default_comm_timeout_s = 120.0;

// Starts MPI, runs `body` on every rank with a communicator of all ranks, and returns the exit code
// for main(). `name` is the program's, for messages. A watchdog ends all ranks with exit code 8
// when one of them is lost (see default_comm_timeout_s) or they wait for each other. With a
// `comm_timeout_s` of 0 it does so for faults of a device only. When `body` throws on all ranks
// within 5 s, rank 0 prints its error. When it throws on some ranks only, they print their errors
// with their rank, and all ranks end. An error before or after `body` gives the exit code of an
// EnvironmentError.
int run_program(const std::string& name,
                double comm_timeout_s,
                int argc,
                char** argv,
                const std::function<void(const Communicator& world)>& body);

// Runs `action` on rank 0. If it throws there, rank 0 throws its exception, and the other ranks
// throw an Error with that exit code and message. This call is collective and blocks.
void on_first_rank(const Communicator& world, const std::function<void()>& action);

// Runs `action` on every rank. If it throws on some ranks, every rank throws: a failed rank its own
// exception, the others an Error with the exit code and message of the lowest failed rank. This
// call is collective and blocks.
void on_every_rank(const Communicator& world, const std::function<void()>& action);

// Rank 0 reads the file, and all ranks get its content. This call is collective and blocks.
// @throws as read_file() on rank 0, and Error with its exit code and message on other ranks
std::string read_shared_file(const Communicator& world, const std::string& file);

}  // namespace cnnplan
