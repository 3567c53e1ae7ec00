// Describes the mesh of ranks over which a layer is split, as an ordered list of axes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace cnnplan {

// n, c, d, h and w split the dim of this name. Ranks that differ only along r hold replicas of one
// block. Along l, layers are split instead of tensors: one coordinate has the whole tensor.
enum class Axis { n, c, d, h, w, r, l };
// Holds the coordinates of a rank, by axis. They are 0 along axes that the mesh does not have.
using MeshCoordinates = std::array<int, 7>;
// Returns the letter of the axis, as in texts such as "n2h4".
char to_char(Axis axis);

// Holds one axis of a mesh, with its number of coordinates.
struct MeshAxis {
  Axis axis = Axis::n;
  int size = 1;
  auto operator<=>(const MeshAxis&) const = default;
};

// Arranges ranks 0 to rank_count() - 1 along axes. The last axis varies fastest over ranks, so
// neighbours along it are the first to share a node. Axes of size 1 are dropped, so equal splits
// compare equal.
class Mesh {
 public:
  Mesh() = default;
  // @throws InputError when an axis appears twice, a size is below 1, or the product overflows
  explicit Mesh(const std::vector<MeshAxis>& axes);

  std::span<const MeshAxis> axes() const { return std::span(axes_).first(axis_count_); }
  int rank_count() const { return rank_count_; }
  // Returns the number of coordinates along `axis`, which is 1 if the mesh lacks the axis.
  int size(Axis axis) const;
  // Return where a rank is along one axis, and along all axes. Coordinates are 0 along axes that
  // the mesh lacks. @pre 0 <= rank < rank_count()
  int coordinate(int rank, Axis axis) const;
  MeshCoordinates coordinates(int rank) const;
  // Returns the difference in rank between neighbours along `axis`, or 0 if the mesh lacks the
  // axis.
  int stride(Axis axis) const;
  auto operator<=>(const Mesh&) const = default;

 private:
  // Plans and blocks copy meshes often, so that the axes are no list in memory of its own. Axes of
  // size 1 fill the rest, and come before all others in comparisons.
  std::array<MeshAxis, std::tuple_size_v<MeshCoordinates>> axes_{};
  std::size_t axis_count_ = 0;
  int rank_count_ = 1;
};

// Returns a text such as "n2h4", or "1" for a single rank.
std::string to_text(const Mesh& mesh);
// Parses a text such as to_text(mesh) makes. Axes of size 1 are also accepted. @throws InputError,
// which names no file, for a text of another form, and as the constructor
Mesh parse_mesh(std::string_view text);

}  // namespace cnnplan
