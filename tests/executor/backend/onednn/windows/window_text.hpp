// Reads a convolution from the text that to_text() gives, so that a campaign can repeat a find.
#pragma once

#include <string>

#include "planner/kernel/kernel.hpp"

namespace cnnplan::test {

// @throws std::invalid_argument where the text is none of to_text() of a convolution
KernelSpec convolution_from_text(const std::string& text);

}  // namespace cnnplan::test
