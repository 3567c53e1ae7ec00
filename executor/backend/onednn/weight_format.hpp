// Chooses the format in which the weights of a convolution are stored, and their gradients summed
// over ranks.
#pragma once

#include <dnnl.hpp>

#include "planner/kernel/kernel.hpp"

namespace cnnplan::onednn {

inline constexpr std::int64_t weight_block = 16;  // floats of a 512-bit vector

// Names the formats. Which one a convolution has depends on filters, channels, groups and kernel
// only, so that it is the same on all ranks.
enum class WeightFormat {
  rows,             // (KD, KH, KW, C, F): all sides 1, or one above 3
  blocked,          // blocks of 16 channels x 16 filters; the longest side is 2 or 3
  depthwise,        // blocks of 16 groups, of one channel and one filter each
  grouped_blocked,  // as `blocked` in each group, whose channels and filters fill blocks
  grouped_rows,     // (KD, KH, KW, C/groups, groups, F/groups)
};
// Returns the format of the weights of this convolution, in any phase and on any block.
WeightFormat weight_format(const KernelSpec& convolution);

// Describes the stored weight for oneDNN: (F, C, KD, KH, KW) or, with groups, (groups, F/groups,
// C/groups, KD, KH, KW). KD exists only where the block is three-dimensional. Copies in another
// type have the same format, since they are written element by element.
dnnl::memory::desc stored_weight(const KernelSpec& convolution,
                                 dnnl::memory::data_type type = dnnl::memory::data_type::f32);
// Describes the weight without a format, so that a primitive chooses one.
dnnl::memory::desc any_weight(const KernelSpec& convolution, dnnl::memory::data_type type);

// Returns how many filters are stored together (Backend::filter_block): 1 for `rows`, 16 for
// `blocked` and `depthwise`, and the filters of a group for the other formats.
std::int64_t stored_filter_block(const KernelSpec& convolution);
// Describes some filters within the stored weight. @pre they are whole blocks of
// stored_filter_block(), except that the last block of the weight may have fewer
dnnl::memory::desc stored_filters(const KernelSpec& convolution, Range filters);
// Describes some filters in plain order, in fp32.
dnnl::memory::desc plain_filters(const KernelSpec& convolution, Range filters);

}  // namespace cnnplan::onednn
