// Holds an output from the check before the work of a command until the work is done.
#pragma once

#include <string>
#include <string_view>

namespace cnnplan {

class OutputFile {
 public:
  // Checks that the output can be written. Pipes and devices are opened, so that the reader of a
  // pipe waits for the content. Files stay as they are until write(). @throws IoError
  explicit OutputFile(const std::string& file);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  // Writes to a temporary file next to `file` and renames it, so `file` is complete or absent. A
  // link stays, and its target is replaced. Pipes and devices are written directly.
  // @pre it was not called before @throws IoError
  void write(std::string_view content);

 private:
  void write_stream(std::string_view content);

  std::string file_;
  int stream_ = -1;  // of a pipe or a device
};

}  // namespace cnnplan
