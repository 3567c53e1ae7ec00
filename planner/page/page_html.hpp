// Puts the document of a report into the page that shows it.
#pragma once

#include <string>
#include <string_view>

namespace cnnplan {

// The page holds this text once, where the document belongs.
inline constexpr std::string_view page_place = "@REPORT@";

// Returns the page with the document, in which no character ends the element around it.
// @throws IoError when the page has no such place
std::string page_with(std::string_view page, std::string_view document);

}  // namespace cnnplan
