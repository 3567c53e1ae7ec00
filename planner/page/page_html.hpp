// Puts the document of a report into the page that shows it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cnnplan {

// The page holds this text once, where the document belongs.
inline constexpr std::string_view page_place = "@REPORT@";

// A longer document is compressed. Pages of a few hundred layers are shorter, so that older
// browsers show them, too.
inline constexpr std::size_t most_plain_bytes = 1'000'000;

// Returns the page with the document, in which no character ends the element around it. A document
// of more than `most_plain` bytes becomes {"gzip": "<base64>"}, which planner/page/web reads.
// @throws IoError when the page has no such place
std::string page_with(std::string_view page,
                      std::string_view document,
                      std::size_t most_plain = most_plain_bytes);

}  // namespace cnnplan
