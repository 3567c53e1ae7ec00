// Tests the text of traces that SMPI reads.
#include "planner/simulate/trace.hpp"

#include <doctest/doctest.h>

namespace cnnplan::test {

TEST_CASE("Trace: an action a line, work in operations of the host") {
  Trace trace(3);
  trace.compute(0.5);
  trace.irecv({.process = 1, .tag = 7, .bytes = 100});
  trace.isend({.process = 2, .tag = 8, .bytes = 200});
  trace.waitall();
  trace.compute(1e-6);
  CHECK(trace.text() ==
        "3 init\n"
        "3 compute 500000000\n"
        "3 irecv 1 7 100 6\n"
        "3 isend 2 8 200 6\n"
        "3 waitall\n"
        "3 compute 1000\n"
        "3 finalize\n");
  CHECK(trace.messages() == 1);
  CHECK(trace.receivers() == std::set{2});
}

TEST_CASE("Trace: work that follows work is one action, none is no action") {
  Trace trace(0);
  trace.compute(1.0);
  trace.compute(0.0);
  trace.compute(2.0);
  trace.waitall();
  trace.compute(0.0);
  CHECK(trace.text() == "0 init\n0 compute 3e+09\n0 waitall\n0 finalize\n");
}

TEST_CASE("Trace: signals are messages without bytes, and do not count") {
  Trace trace(0);
  trace.signal(4, 9);
  trace.await(8, 10);
  CHECK(trace.text() == "0 init\n0 send 4 9 0 6\n0 recv 8 10 0 6\n0 finalize\n");
  CHECK(trace.messages() == 0);
  CHECK(trace.receivers() == std::set{4});
}

TEST_CASE("Trace: counts that 32 bits cannot hold are counts of doubles") {
  Trace trace(0);
  trace.isend({.process = 1, .tag = 0, .bytes = 2147483647});
  trace.isend({.process = 1, .tag = 0, .bytes = 2147483649});
  CHECK(trace.text() == "0 init\n0 isend 1 0 2147483647 6\n0 isend 1 0 268435457 0\n0 finalize\n");
}

}  // namespace cnnplan::test
