// Tests that a child's end, output and time limit are seen, with shells as children.
#include "planner/doctor/child_program.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>

#include <doctest/doctest.h>

using namespace cnnplan;

namespace {

constexpr double enough_s = 60.0;

ChildResult run(const std::string& script, double limit_s = enough_s) {
  return ChildProgram({"sh", "-c", script}).wait(limit_s);
}

// A killed process may stay in the list of processes until somebody asks how it ended.
bool runs(const std::string& pid) {
  std::ifstream stream("/proc/" + pid + "/stat");
  std::string number;
  std::string name;
  std::string state;
  return (stream >> number >> name >> state) && state != "Z" && state != "X";
}

}  // namespace

TEST_CASE("Child program: output, errors and the exit code are kept apart") {
  const ChildResult result = run("echo out; echo err >&2; exit 3");
  CHECK(result.end == ChildEnd::exited);
  CHECK(result.code == 3);
  CHECK(result.output == "out\n");
  CHECK(result.errors == "err\n");
}

TEST_CASE("Child program: a signal is a crash") {
  const ChildResult result = run("kill -SEGV $$");
  CHECK(result.end == ChildEnd::killed);
  CHECK(result.code == SIGSEGV);
}

TEST_CASE("Child program: a program that does not exist ends with 127") {
  const ChildResult result = ChildProgram({"/no/such/program"}).wait(enough_s);
  CHECK(result.end == ChildEnd::exited);
  CHECK(result.code == 127);
}

TEST_CASE("Child program: a child that hangs is killed, and what it said before is kept") {
  const ChildResult result = run("echo before; exec sleep 1000", 0.5);
  CHECK(result.end == ChildEnd::timed_out);
  CHECK(result.output == "before\n");
}

TEST_CASE("Child program: the children of a child that hangs are killed, too") {
  const ChildResult result = run("sleep 1000 & echo $!; wait", 0.5);
  REQUIRE(result.end == ChildEnd::timed_out);
  const std::string pid = result.output.substr(0, result.output.find('\n'));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (runs(pid) && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  CHECK(!runs(pid));
}

TEST_CASE("Child program: endless output ends the child") {
  const ChildResult result = run("yes");
  CHECK(result.end == ChildEnd::too_much_output);
  CHECK(result.output.size() <= max_child_output_bytes);
}

TEST_CASE("Child program: two children run at the same time, and neither has an input") {
  ChildProgram first({"sh", "-c", "cat; echo 1"});
  ChildProgram second({"sh", "-c", "cat; echo 2"});
  CHECK(second.wait(enough_s).output == "2\n");
  CHECK(first.wait(enough_s).output == "1\n");
}
