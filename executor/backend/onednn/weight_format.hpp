// Chooses the format in which the weights of a convolution are stored, and their gradients summed
// over ranks.
#pragma once

#include <dnnl.hpp>

#include "planner/kernel/kernel.hpp"

namespace cnnplan::onednn {

inline constexpr std::int64_t weight_block = 16;  // floats of a 512-bit vector

// The format depends on filters, channels, groups and kernel only.
enum class WeightFormat {
  rows,             // (KD, KH, KW, C, F): pointwise and fully connected, plain matrix products
  blocked,          // blocks of 16 channels x 16 filters: backward_filter writes them
  depthwise,        // blocks of 16 groups
  grouped_blocked,  // blocked within each group
  grouped_rows,     // (KD, KH, KW, C/groups, groups, F/groups)
};
// Returns the format of the weights of this convolution, in any phase and on any block.
WeightFormat weight_format(const KernelSpec& convolution);

// Describes the stored weight for oneDNN: (F, C, KD, KH, KW) or, with groups, (groups, F/groups,
// C/groups, KD, KH, KW). KD exists only where the block is three-dimensional. Copies in another
// type have the same format, since they are written element by element.
dnnl::memory::desc stored_weight(const KernelSpec& convolution,
                                 dnnl::memory::data_type type = dnnl::memory::data_type::f32);
// Describes the weight with a format that a primitive chooses.
dnnl::memory::desc any_weight(const KernelSpec& convolution, dnnl::memory::data_type type);

// Returns how many filters are stored together: those of a block, and of groups all filters.
std::int64_t stored_filter_block(const KernelSpec& convolution);
// Describes some filters within the stored weight. They are whole blocks of filters, except that
// the last block may have fewer.
dnnl::memory::desc stored_filters(const KernelSpec& convolution, Range filters);
// Describes some filters in plain order, in fp32.
dnnl::memory::desc plain_filters(const KernelSpec& convolution, Range filters);

}  // namespace cnnplan::onednn
