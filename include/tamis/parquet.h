// SPDX-License-Identifier: Apache-2.0
// tamis/parquet.h -- finds the Bloom filters in an Apache Parquet file.
//
// A filter found here is opened with the policy "parquet".  It is queried by
// the bytes of a value's plain encoding: for BYTE_ARRAY and
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
  // Parquet's name: "INT64", "BYTE_ARRAY", ...; "unknown" for later types.
  std::string_view physical_type;
  // Values in this row group, nulls and repeats included: not the number of
  // keys.
  std::uint64_t values = 0;

  // Where the filter starts, according to the footer.
  std::int64_t offset = 0;
  // Not ok: the filter is damaged (Corruption), or encrypted or elsewhere
  // (NotSupported).  Read as if there were no filter; the members below are
  // then empty.
  Status status;
  std::uint64_t header_bytes = 0;
  std::uint64_t bitset_bytes = 0;
  Slice filter;  // header and bitset, a view of the file
};

// Reads the footer of a whole file and the header of each filter that it names,
// in the order of the footer.  Columns without a filter are left out, and so
// are encrypted columns that do not reveal whether they have one.
// REQUIRES: `file` outlives the result, unchanged
// Corruption: not a Parquet file, or its footer is damaged.
// NotSupported: its footer is encrypted.
TAMIS_EXPORT Result<std::vector<ParquetFilterPlace>> FindParquetFilters(
    Slice file);

}  // namespace tamis
