// Chooses the reader of JSON or of ONNX by the content.
#include "planner/import/network_source.hpp"

#include "planner/import/import_onnx.hpp"
#include "planner/import/onnx/onnx_file.hpp"

namespace cnnplan {

Network parse_network_or_model(const SourceOfNetwork& source, std::vector<std::string>& notes) {
  if (is_onnx(source.content)) {
    const ImportedModel model = import_onnx(
        parse_onnx(source.content, source.file), source.file, {.input = source.input_size});
    for (const std::string& note : model.notes) notes.push_back(source.file + ": " + note);
    return model.network;
  }
  const Network network = parse_network(source.content, source.file);
  return source.input_size.empty() ? network
                                   : with_input_size(network, parse_size(source.input_size));
}

}  // namespace cnnplan
