// Checks that the candidates of a layer are all meshes that fit its shape.
#include "planner/search/candidates/candidates.hpp"

#include <array>
#include <string>

#include <doctest/doctest.h>

#include "planner/tensor/distribution.hpp"

namespace cnnplan {
namespace {

constexpr std::array<Axis, 4> sample_and_spatial{Axis::n, Axis::d, Axis::h, Axis::w};

Shape shape(std::int64_t n, std::int64_t c, std::int64_t d, std::int64_t h, std::int64_t w) {
  return {.extents = {n, c, d, h, w}};
}

std::string names(const std::vector<Mesh>& meshes) {
  std::string text;
  for (const Mesh& mesh : meshes) {
    if (!text.empty()) text += ' ';
    text += to_text(mesh);
  }
  return text;
}

}  // namespace

TEST_CASE("enumerate_meshes: every factorisation, n first") {
  struct Row {
    Shape output;
    int ranks;
    const char* expected;
  };
  const Row rows[] = {
      {shape(8, 64, 1, 56, 56), 1, "1"},
      {shape(8, 64, 1, 56, 56), 2, "n2 h2 w2"},
      {shape(8, 64, 1, 56, 56), 4, "n4 n2h2 n2w2 h4 h2w2 w4"},
      {shape(1, 64, 1, 56, 56), 4, "h4 h2w2 w4"},
      {shape(3, 64, 1, 56, 56), 6, "n3h2 n3w2 n2h3 n2w3 h6 h3w2 h2w3 w6"},
      {shape(2, 64, 1, 1, 1), 4, "n2r2"},
      {shape(1, 1000, 1, 1, 1), 2, "r2"},
      {shape(1, 8, 4, 4, 4), 2, "d2 h2 w2"},
      {shape(1, 8, 1, 2, 3), 8, "h2w2r2"},
  };
  for (const Row& row : rows) {
    CAPTURE(to_text(row.output));
    CAPTURE(row.ranks);
    CHECK(names(enumerate_meshes(row.output, row.ranks, sample_and_spatial).meshes) ==
          row.expected);
  }
}

TEST_CASE("enumerate_meshes: only the axes that are allowed, in mesh order") {
  const std::array<Axis, 2> axes{Axis::h, Axis::n};
  CHECK(names(enumerate_meshes(shape(8, 64, 1, 56, 56), 4, axes).meshes) == "n4 n2h2 h4");
  CHECK(names(enumerate_meshes(shape(8, 64, 1, 56, 56), 4, {}).meshes) == "r4");
  const std::array<Axis, 2> with_channels{Axis::c, Axis::n};
  CHECK(names(enumerate_meshes(shape(2, 64, 1, 7, 7), 4, with_channels).meshes) == "n2c2 c4");
}

TEST_CASE("enumerate_meshes: counts what it leaves out") {
  // The factorisations are n4 n2d2 n2h2 n2w2 d4 d2h2 d2w2 h4 h2w2 w4. Meshes with d do not fit, nor
  // does n4.
  const MeshCandidates found = enumerate_meshes(shape(2, 64, 1, 8, 8), 4, sample_and_spatial);
  CHECK(names(found.meshes) == "n2h2 n2w2 h4 h2w2 w4");
  CHECK(found.pruned == 5);
}

TEST_CASE("enumerate_meshes: every rank owns something, and replicas are as few as can be") {
  for (int ranks = 1; ranks <= 24; ++ranks) {
    const Shape output = shape(3, 16, 1, 5, 4);
    for (const Mesh& mesh : enumerate_meshes(output, ranks, sample_and_spatial).meshes) {
      CAPTURE(to_text(mesh));
      CHECK(mesh.rank_count() == ranks);
      const Distribution distribution(output, mesh);
      for (int rank = 0; rank < ranks; ++rank) CHECK_FALSE(is_empty(distribution.box(rank)));
    }
  }
}

}  // namespace cnnplan
