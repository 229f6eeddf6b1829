#include "sluice/schedule/arrays_file.hpp"

#include "input/strict_json.hpp"
#include "schedule/input_json.hpp"
#include "sluice/read_file.hpp"

namespace sluice {
namespace {

class ArraysHandler final : public detail::StrictJsonHandler {
 public:
  ArraysHandler(const detail::JsonSource& source, std::string file) : StrictJsonHandler(source, std::move(file)) {
    shapes() = {
        {"a file of arrays",
         {{.name = "schema", .text = &schema_, .choices = {"sluice.arrays/1"}}, {.name = "arrays", .objects = 1}}},
        {"an array", input_.array_fields()}};
  }

  [[nodiscard]] std::vector<ArrayInput> take() { return input_.take().arrays; }

 private:
  void opened(int /*shape*/) override {}
  void closed(int shape) override {
    if (shape == 1) input_.add_array();
    if (shape == 0 && input_.arrays() == 0) fail("no arrays", "at least one");
  }

  std::string schema_;
  detail::WrittenInput input_;
};

}  // namespace

std::vector<ArrayInput> read_arrays(std::istream& in, const std::string& file) {
  detail::JsonSource source(in.rdbuf());
  ArraysHandler handler(source, file);
  detail::read_strict_json(in, file, source, handler);
  return handler.take();
}

std::vector<ArrayInput> read_arrays(const std::string& path) {
  std::vector<ArrayInput> arrays;
  with_stream(path, "a file of arrays",
              [&](std::istream& in, const std::string& name) { arrays = read_arrays(in, name); });
  return arrays;
}

}  // namespace sluice
