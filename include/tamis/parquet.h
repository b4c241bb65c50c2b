// SPDX-License-Identifier: Apache-2.0
// tamis/parquet.h -- where the Bloom filters lie in an Apache Parquet file.
//
// A filter found here is opened with the policy "parquet".  What is asked of
// it are the bytes of a value's plain encoding: for BYTE_ARRAY and
// FIXED_LEN_BYTE_ARRAY the bytes themselves, without a length before them; for
// INT32, FLOAT (4 bytes), INT64 and DOUBLE (8 bytes) little-endian.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/export.h"
#include "tamis/result.h"
#include "tamis/slice.h"

namespace tamis {

// The filter of one column in one row group.
struct ParquetFilterPlace {
  std::uint64_t row_group = 0;  // counted from 0
  std::string column;           // its path in the schema, joined by dots
  // Parquet's name: "INT64", "BYTE_ARRAY", ...; "unknown" if it is a later one.
  std::string_view physical_type;
  // In this row group, nulls and repeats included: not the number of keys.
  std::uint64_t values = 0;

  // The file says that the filter begins here.
  std::int64_t offset = 0;
  // Not ok: the filter is damaged (Corruption), or encrypted or elsewhere
  // (NotSupported).  Read as if there were none; what follows is then empty.
  Status status;
  std::uint64_t header_bytes = 0;
  std::uint64_t bitset_bytes = 0;
  Slice filter;  // both, within the file given
};

// Reads the footer of a whole file, and the header of each filter that it
// names; the order is that of the file.  Columns without a filter are left
// out, and so are encrypted ones that do not show whether they have one.
// REQUIRES: `file` outlives the result, unchanged
// Corruption: no Parquet file, or its footer is damaged.
// NotSupported: its footer is encrypted.
TAMIS_EXPORT Result<std::vector<ParquetFilterPlace>> FindParquetFilters(
    Slice file);

}  // namespace tamis
