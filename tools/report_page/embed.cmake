# SPDX-License-Identifier: Apache-2.0
# cmake -DPAGE=FILE -DOUTPUT=FILE.cc -P embed.cmake -- writes a source file with
# the bytes of the page.

file(READ "${PAGE}" bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes
                     "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
file(
  WRITE "${OUTPUT}"
  "// Made by report_page/embed.cmake of report_page/dist/report.html.
#include \"report_page.h\"

namespace tamis::tools {
namespace {

constexpr char kPage[] = {
${bytes}};

}  // namespace

std::string_view ReportTemplate() noexcept { return {kPage, sizeof(kPage)}; }

}  // namespace tamis::tools
")
