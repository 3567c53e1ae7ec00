// Escapes names from outside, so that XML and Markdown show them as they are.
#pragma once

#include <string>
#include <string_view>

namespace cnnplan {

// Returns UTF-8 text that may stand in an element or an attribute of XML 1.0. Characters that XML
// cannot hold become U+FFFD.
std::string xml_text(std::string_view text);

// Returns HTML that Markdown passes on, and that shows the text as code. It fits into a cell of a
// table. A name in it mentions nobody, links to nothing and sets no formula.
std::string markdown_code(std::string_view text);

}  // namespace cnnplan
