// SPDX-License-Identifier: Apache-2.0
// chain_type.h -- Bloom and cuckoo chains as values of keys: what the server
// does with them by itself (RDB files, AOF, COPY, MEMORY USAGE), and the
// transfer by SCANDUMP and LOADCHUNK.

#pragma once

#include <memory>

#include "filter_chain.h"
#include "redis_api.h"
#include "replies.h"

namespace tamis {

// Returns whether the server took both types.
bool CreateChainTypes(RedisContext* context);

RedisType* ChainTypeOf(ChainKind kind) noexcept;

// Makes the chain the value of a key.  Returns it.
FilterChain* SetChain(const OpenedKey& key, std::unique_ptr<FilterChain> chain);

// KEY ITERATOR of BF.SCANDUMP, CF.SCANDUMP, and KEY ITERATOR DATA of
// BF.LOADCHUNK, CF.LOADCHUNK.
int ScanDump(ChainKind kind, const Arguments& arguments);
int LoadChunk(ChainKind kind, const Arguments& arguments);

}  // namespace tamis
