// Lists the kinds of files, and the numbers of their schemas that are written and read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cnnplan {

enum class SchemaKind { network, platform, profile, plan, run, checkpoint };

// Returns the kind that the key "schema" names. If this is the first key, the rest of the text is
// not looked at. @throws InputError unless the key is "cnnplan.<kind>/<number>" with a number that
// is read, and for a text that is not JSON as far as it is looked at
SchemaKind schema_kind(std::string_view json, const std::string& file);

// Returns the number of the schema in which files of a kind are written. Files of all smaller
// numbers are read, too.
int newest_schema(std::string_view kind);
// Returns the number in a text such as "cnnplan.plan/1", for the kind "plan". It is absent if the
// text names another kind, or a number that is not read.
std::optional<int> schema_number(std::string_view schema, std::string_view kind);
// Returns a text such as "cnnplan.plan/2".
std::string schema_text(std::string_view kind, int number);
// Lists the texts of a kind that are read, as in: "cnnplan.plan/2" or "cnnplan.plan/1". The
// quotation marks are included.
std::string schema_texts(std::string_view kind);
// Returns the end of a message about a `file` that was given in place of one of kind `needed`. It
// says what the file is and what to do, as in "; this is a network: make a plan of it with: cnnplan
// solve FILE". The text is empty if `schema`, the value of the file's key "schema", is unknown.
std::string wrong_kind_advice(std::string_view schema,
                              std::string_view needed,
                              const std::string& file);

}  // namespace cnnplan
