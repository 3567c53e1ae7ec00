// Tests coordinates and texts of meshes.
#include "planner/tensor/mesh.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/planner/base/problem_of.hpp"

namespace cnnplan::test {
namespace {

TEST_CASE("Mesh: the last axis varies fastest") {
  struct Row {
    const char* mesh;
    int rank;
    int n;
    int h;
    int w;
    int r;
  };
  for (const Row& row : std::vector<Row>{{"1", 0, 0, 0, 0, 0},
                                         {"n2h3", 0, 0, 0, 0, 0},
                                         {"n2h3", 2, 0, 2, 0, 0},
                                         {"n2h3", 3, 1, 0, 0, 0},
                                         {"h3n2", 3, 1, 1, 0, 0},
                                         {"h3n2", 4, 0, 2, 0, 0},
                                         {"r2h2w4", 13, 0, 1, 1, 1},
                                         {"w4h2r2", 13, 0, 0, 3, 1}}) {
    CAPTURE(std::string(row.mesh));
    CAPTURE(row.rank);
    const Mesh mesh = parse_mesh(row.mesh);
    CHECK(mesh.coordinate(row.rank, Axis::n) == row.n);
    CHECK(mesh.coordinate(row.rank, Axis::h) == row.h);
    CHECK(mesh.coordinate(row.rank, Axis::w) == row.w);
    CHECK(mesh.coordinate(row.rank, Axis::r) == row.r);
    CHECK(mesh.coordinate(row.rank, Axis::d) == 0);
  }
}

TEST_CASE("Mesh: axes of size 1 make no difference") {
  const Mesh mesh({{Axis::n, 2}, {Axis::c, 1}, {Axis::h, 3}});
  CHECK(mesh == parse_mesh("n2h3"));
  CHECK(mesh == parse_mesh("n2w1h3"));
  CHECK(mesh != parse_mesh("h3n2"));
  CHECK(mesh.rank_count() == 6);
  CHECK(mesh.size(Axis::h) == 3);
  CHECK(mesh.size(Axis::c) == 1);
  CHECK(parse_mesh("n1") == Mesh());
}

TEST_CASE("Mesh: ranks outside are a broken contract") {
  CHECK_THROWS_AS(parse_mesh("n2").coordinate(2, Axis::n), std::logic_error);
  CHECK_THROWS_AS(parse_mesh("n2").coordinate(-1, Axis::n), std::logic_error);
}

TEST_CASE("parse_mesh: inverse of to_text") {
  for (const char* text : {"1", "n2", "n2h4", "r3w2d5", "n2c3d5h7w11r13", "h1048576"}) {
    CHECK(to_text(parse_mesh(text)) == text);
  }
}

TEST_CASE("parse_mesh: refuses what is no mesh, and shows all of it") {
  for (const char* text :
       {"",     "2",     "n",        "n0",           "n2n3",        "n1n2",
        "n2n1", "n1n1",  "h4n2w1n3", "n2h",          "q4",          "N4",
        "n-2",  "n2 h2", "n99999n2", "n65536h65536", "n9999999999", "n2147483648",
        "1n2",  "n2.5"}) {
    CAPTURE(std::string(text));
    const InputProblem problem = problem_of([&] { parse_mesh(text); });
    CHECK(problem.value == "mesh \"" + std::string(text) + '"');
    CHECK(contains(problem.allowed, "axes of n c d h w r"));
  }
}

}  // namespace
}  // namespace cnnplan::test
