// Names the standard streams where a file may be named.
#pragma once

#include <string_view>

namespace cnnplan {

// This name stands for stdin where read_file reads it, and for stdout where write_file writes it.
// file_exists says that it exists.
inline constexpr std::string_view standard_stream = "-";

}  // namespace cnnplan
