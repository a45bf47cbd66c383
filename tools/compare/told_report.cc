#include "tools/compare/told_report.h"

#include <nlohmann/json.hpp>

#include "tools/document/document_writers.h"
#include "tools/output_file.h"
#include "tools/text/page.h"

namespace nightshift::tools {

void tell(const CompareOptions& options, const Document& document,
          const nlohmann::ordered_json& object) {
  if (options.page) write_output(*options.page, to_html(document));
  if (options.markdown) write_output(*options.markdown, to_markdown(document));
  if (options.json) {
    print_json(object);
  } else {
    print_page(to_text(document));
  }
}

}  // namespace nightshift::tools
