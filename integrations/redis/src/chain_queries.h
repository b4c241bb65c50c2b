// SPDX-License-Identifier: Apache-2.0
// chain_queries.h -- queries and replication, which BF.* and CF.* share.

#pragma once

#include "chain_type.h"
#include "replies.h"

namespace tamis {

// KEY ITEM of BF.EXISTS, CF.EXISTS: no key is a filter without items.
int Exists(ChainKind kind, const Arguments& arguments);
// KEY ITEM... of BF.MEXISTS, CF.MEXISTS.
int ExistsMany(ChainKind kind, const Arguments& arguments);

// Sends the command on with its first `count` arguments, those after the last
// item that has changed the filter left out: a replica then changes its filter
// in the same way, even where this server had no memory for the rest.
void ReplicateFirst(const Arguments& arguments, const char* command, int count);

// A label and a number of an INFO; the number is null if it is negative.
struct InfoField {
  const char* word;  // that asks for this field alone; null: none does
  const char* label;
  long long number;
};
void ReplyWithNumber(RedisContext* context, long long number);

}  // namespace tamis
