// SPDX-License-Identifier: Apache-2.0
// sstable_text.h -- a report about sstables for people.

#pragma once

#include <optional>
#include <string>

#include "sstable_report.h"

namespace tamis::tools {

// "bloom, partitioned", or "none".
std::string KindText(const SstableFilterInfo& filter);

// The fraction of the bits that are set; nothing: they are not known, or such
// filters have no bits of which a fraction is set.
std::optional<double> FillOfBits(const SstableFilterInfo& filter);

// True if that verdict is to be shown; nothing: all are.
bool IsShown(const SstableInfo& info, std::optional<FilterVerdict> only);

// Files by directory, totals of all, and what they mean in words.
std::string ScanText(const ScanReport& report,
                     std::optional<FilterVerdict> only = std::nullopt);

}  // namespace tamis::tools
