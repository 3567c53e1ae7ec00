// Escapes the characters of a JSON document that mean something in HTML.
#include "planner/page/page_html.hpp"

#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

// In JSON, "<" occurs in texts only, where an escape means the same. So no "</script" and no "<!--"
// is left.
std::string escaped(std::string_view document) {
  std::string text;
  text.reserve(document.size());
  for (const char character : document) {
    if (character == '<') {
      text += "\\u003c";
    } else {
      text += character;
    }
  }
  return text;
}

}  // namespace

std::string page_with(std::string_view page, std::string_view document) {
  const std::size_t place = page.find(page_place);
  if (place == std::string_view::npos) {
    throw IoError("the page of reports is damaged: build cnnplan again");
  }
  std::string text(page.substr(0, place));
  text += escaped(document);
  text += page.substr(place + page_place.size());
  return text;
}

}  // namespace cnnplan
