// Turns exceptions on some or all ranks into messages and exit codes.
#include "executor/comm/program.hpp"

#include <csignal>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "executor/comm/nccl_communicator.hpp"
#include "executor/comm/nodes.hpp"
#include "executor/comm/terminal.hpp"
#include "executor/comm/watch/wait_record.hpp"
#include "executor/comm/watch/watchdog.hpp"
#include "executor/launch/launch_environment.hpp"
#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/base/message.hpp"

namespace cnnplan {
namespace {

// Ranks that all fail for one reason do so within this time of each other.
constexpr double patience_s = 5.0;

struct Failure {
  ExitCode code = ExitCode::ok;
  std::string message;
  std::exception_ptr cause;
};

std::optional<Failure> failure_of(const std::function<void()>& action) {
  try {
    action();
    return std::nullopt;
  } catch (const Error& error) {
    return Failure{error.exit_code(), error.what(), std::current_exception()};
  } catch (const std::bad_alloc&) {
    return Failure{ExitCode::infeasible, "memory ran out", std::current_exception()};
  } catch (const std::exception& error) {
    return Failure{ExitCode::internal,
                   std::string("internal error: ") + error.what(),
                   std::current_exception()};
  }
}

// Tells whether all ranks failed. If MPI reports an error, some rank did not fail.
bool all_failed(const Communicator& failed) {
  bool all = false;
  failure_of([&] { all = failed.all_arrive_within(patience_s); });
  return all;
}

// Throws on every rank: its own failure if it has one, else the failure of `rank`. This call is
// collective.
void throw_failure_of(int rank, const Failure& own, const Communicator& world) {
  const auto code = world.broadcast(static_cast<std::int64_t>(own.code), rank);
  const std::string message = world.broadcast(own.message, rank);
  if (own.cause) std::rethrow_exception(own.cause);
  if (code != static_cast<std::int64_t>(ExitCode::ok)) {
    throw Error(static_cast<ExitCode>(code), message);
  }
}

// Returns an unguessable text, equal on all ranks. This call is collective.
std::string shared_token(const Communicator& world) {
  std::random_device random;
  return world.broadcast(std::to_string(random()) + "-" + std::to_string(random()), 0);
}

// Every rank gets the texts of all ranks, none of which has several lines. This call is collective.
std::vector<std::string> all_texts(const std::string& own, const Communicator& world) {
  std::string lines;
  for (const std::string& text : world.gather(own, 0)) lines += text + '\n';
  std::istringstream in(world.broadcast(lines, 0));
  std::vector<std::string> texts;
  for (std::string line; std::getline(in, line);) texts.push_back(line);
  return texts;
}

// Tells the watchdogs of all ranks how to reach each other. This call is collective.
void connect(Watchdog& watchdog) {
  const Communicator world = Communicator::world();
  const WatchPeers peers{.rank = world.rank(),
                         .addresses = all_texts(watchdog.address(), world),
                         .hosts = all_texts(host_name(), world),
                         .token = shared_token(world)};
  watchdog.connect(peers, [] { abort_all_ranks(static_cast<int>(ExitCode::peer_lost)); });
}

int run_on(const std::string& name, const std::function<void(const Communicator& world)>& body) {
  const Communicator world = Communicator::world();
  const Communicator failed = Communicator::world();  // has no messages of `body` under way
  const Activity activity("set-up");
  const auto failure = failure_of([&] { body(world); });
  if (!failure) return static_cast<int>(ExitCode::ok);
  const int code = static_cast<int>(failure->code);
  if (!all_failed(failed)) {
    print_error(
        name, "rank " + std::to_string(world.rank()) + ": " + failure->message, message_style());
    abort_all_ranks(code);
  }
  if (world.rank() == 0) print_error(name, failure->message, message_style());
  return code;
}

// Prints what is wrong with the launch, which every process finds out. True if something is.
bool tell_wrong_launch(const std::string& name, const std::string& problem) {
  if (problem.empty()) return false;
  if (is_first_process()) print_error(name, problem, message_style());
  return true;
}

void tell_old_pmi(const std::string& name, const LaunchEnvironment& launch) {
  const std::string note = old_pmi_note(launch);
  if (is_first_process() && !note.empty()) print_note(name + ": note: " + note, message_style());
}

}  // namespace

int run_program(const std::string& name,
                double comm_timeout_s,
                int argc,
                char** argv,
                const std::function<void(const Communicator& world)>& body) {
  // A reader of stdout that leaves would end this rank alone. Writing fails instead.
  std::signal(SIGPIPE, SIG_IGN);
  constexpr int wrong_launch = static_cast<int>(ExitCode::environment);
  const LaunchEnvironment launch = launch_environment();
  if (tell_wrong_launch(name, unconnected_problem(launch))) return wrong_launch;
  tell_old_pmi(name, launch);
  int code = 0;
  const auto failure = failure_of([&] {
    // It watches the begin and the end of MPI, too.
    Watchdog watchdog(
        {.name = name, .columns = message_style().columns, .before_look = look_for_nccl_errors},
        comm_timeout_s);
    const MpiSession session(argc, argv);
    if (tell_wrong_launch(name, lone_rank_problem(launch, Communicator::world().size()))) {
      code = wrong_launch;
      return;
    }
    connect(watchdog);
    code = run_on(name, body);
  });
  if (!failure) return code;
  print_error(name, failure->message, message_style());
  return wrong_launch;
}

void on_first_rank(const Communicator& world, const std::function<void()>& action) {
  Failure failure;
  if (world.rank() == 0) failure = failure_of(action).value_or(Failure{});
  throw_failure_of(0, failure, world);
}

void on_every_rank(const Communicator& world, const std::function<void()>& action) {
  const Failure failure = failure_of(action).value_or(Failure{});
  const double none = world.size();
  const double first = none - world.maximum(failure.cause ? none - world.rank() : 0.0);
  if (first < none) throw_failure_of(static_cast<int>(first), failure, world);
}

std::string read_shared_file(const Communicator& world, const std::string& file) {
  std::string text;
  on_first_rank(world, [&] { text = read_file(file); });
  return world.broadcast(text, 0);
}

}  // namespace cnnplan
