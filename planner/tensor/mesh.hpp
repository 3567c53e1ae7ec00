// The mesh of ranks that a layer is split over: an ordered list of axes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cnnplan {

// n c d h w split that dim of the tensor; ranks that differ only along r hold the same block. Along
// l, one coordinate has all of the tensor and others nothing: layers are split, not tensors.
enum class Axis { n, c, d, h, w, r, l };
// Of a rank, by axis; 0 where the mesh has none.
using MeshCoordinates = std::array<int, 7>;
char to_char(Axis axis);

struct MeshAxis {
  Axis axis = Axis::n;
  int size = 1;
  auto operator<=>(const MeshAxis&) const = default;
};

// Axes in order; the last one varies fastest over ranks, so its neighbours share a node first.
// Axes of size 1 are dropped, so equal splits compare equal.
class Mesh {
 public:
  Mesh() = default;
  // @throws InputError when an axis appears twice, a size is below 1, or the product overflows.
  explicit Mesh(const std::vector<MeshAxis>& axes);

  const std::vector<MeshAxis>& axes() const { return axes_; }
  int rank_count() const { return rank_count_; }
  int size(Axis axis) const;
  // Coordinate of `rank` along `axis`. @pre 0 <= rank < rank_count()
  int coordinate(int rank, Axis axis) const;
  MeshCoordinates coordinates(int rank) const;
  // How far apart in rank neighbours along `axis` are; 0 where the mesh has no such axis.
  int stride(Axis axis) const;
  auto operator<=>(const Mesh&) const = default;

 private:
  std::vector<MeshAxis> axes_;
  int rank_count_ = 1;
};

// "n2h4"; "1" for a single rank.
std::string to_text(const Mesh& mesh);
// Inverse of to_text. @throws InputError
Mesh parse_mesh(std::string_view text);

}  // namespace cnnplan
