// Escapes the characters of a JSON document that mean something in HTML, or compresses it.
#include "planner/page/page_html.hpp"

#include "planner/base/error.hpp"
#include "planner/page/base64.hpp"
#include "planner/trace/gzip.hpp"

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

std::string compressed(std::string_view document) {
  std::string bytes;
  Gzip gzip;
  gzip.add(document, bytes);
  gzip.end(bytes);
  return R"({"gzip": ")" + base64(bytes) + R"("})";
}

}  // namespace

std::string page_with(std::string_view page, std::string_view document, std::size_t most_plain) {
  const std::size_t place = page.find(page_place);
  if (place == std::string_view::npos) {
    throw IoError("the page of reports is damaged: build cnnplan again");
  }
  std::string text(page.substr(0, place));
  text += document.size() > most_plain ? compressed(document) : escaped(document);
  text += page.substr(place + page_place.size());
  return text;
}

}  // namespace cnnplan
