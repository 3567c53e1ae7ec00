// States which range of one dim each coordinate along a mesh axis has, as a rule, not as a list.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "planner/tensor/box.hpp"
#include "planner/tensor/upsampling.hpp"
#include "planner/tensor/window.hpp"

namespace cnnplan {

// Holds a half-open range of coordinates along an axis of a mesh. It is empty if end <= begin.
struct Coordinates {
  int begin = 0;
  int end = 0;
};

// Says which range of indices each coordinate has. A coordinate owns one part of `length` indices.
// The fields below describe steps that derive its range from this part, in the order of the fields.
// A derived range has indices in [0, input_length), or with `cut` in [0, section.size()).
struct RangeRule {
  std::int64_t length = 1;
  int parts = 1;  // the number of coordinates; each owns one part, unless in_turn is set
  // If not 0, `length` is cut into this many parts, and coordinate i owns part i % in_turn.
  int in_turn = 0;
  // If above 1, `input_length` is cut into `parts` parts. Each run of `together` coordinates has
  // the union of its parts, which replaces the owned part.
  int together = 1;
  bool grouped = false;           // whole groups of output channels become their input channels
  UpsampleDim upsample{};         // the range is the input of this upsampling
  bool windowed = false;          // the range is the input of `window`
  bool transposed = false;        // `window` belongs to a transposed convolution
  bool cut = false;               // the range is cut to `section`, whose first index becomes 0
  std::int64_t groups = 1;        // of channels, for `grouped`
  WindowDim window{};             // for `windowed`
  std::int64_t input_length = 0;  // indices of the tensor in which the derived range lies
  Range section{};                // for `cut`; it may begin below 0

  // Returns the number of parts of `length`.
  int cut_into() const { return in_turn > 0 ? in_turn : parts; }
  // True if the ends of the ranges never fall as the coordinate grows.
  bool ascends() const { return in_turn == 0 || together > 1; }
  // Returns the part that a coordinate owns, before the other steps.
  // @pre 0 <= coordinate < parts, for this function and the next
  Range owned(int coordinate) const;
  // Returns the range after all steps. It may be empty.
  Range at(int coordinate) const;
  auto operator<=>(const RangeRule&) const = default;
};

// Holds the ranges of a rule, by coordinate.
using RangeTable = std::shared_ptr<const std::vector<Range>>;

// Makes one table for each rule, so that equal rules share it.
class RangeTables {
 public:
  // Returns the table of a rule, and makes it on the first call. The reference is valid as long as
  // this object lives. A copy of the RangeTable may outlive the object.
  const RangeTable& of(const RangeRule& rule);

 private:
  std::map<RangeRule, RangeTable> tables_;
};

// Holds the ranges of one dim. They are looked up if a table was made, and computed otherwise.
struct DimRanges {
  RangeRule rule;
  RangeTable table;

  // @pre 0 <= coordinate < rule.parts
  Range at(int coordinate) const { return table ? (*table)[coordinate] : rule.at(coordinate); }
  // Returns the number of coordinates, from 0 on, that may own a part with indices.
  int filled() const;
  // Returns coordinates that include every coordinate whose range meets `wanted`. If ranges ascend,
  // the ranges of all other included coordinates are empty. @pre `wanted` is not empty
  Coordinates meeting(Range wanted) const;
  bool operator==(const DimRanges& other) const { return rule == other.rule; }
};

}  // namespace cnnplan
