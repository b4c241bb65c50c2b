// SPDX-License-Identifier: Apache-2.0
// report_page.h -- the page of `tamis report`: one file that needs no other.
//
// Its sources are in tools/report_page/; what is built of them is part of the
// command.

#pragma once

#include <string>
#include <string_view>

#include "json.h"

namespace tamis::tools {

// The page without its data, with @TAMIS_TITLE@, @TAMIS_TEXT@ and @TAMIS_DATA@
// where those belong.
std::string_view ReportTemplate() noexcept;

struct PageContents {
  std::string title;  // any bytes
  std::string text;   // shown where scripts do not run; any bytes
  Json data;
};

// Fills in the page.  No text can end the element that it is in, or be markup.
std::string FillPage(std::string_view page, const PageContents& contents);

}  // namespace tamis::tools
