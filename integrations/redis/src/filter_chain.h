// SPDX-License-Identifier: Apache-2.0
// filter_chain.h -- the value of a key of BF.* and CF.*: filters one after the
// other, of which the last is filled and a larger one follows when it is full.
// It knows no server; fuzz/fuzz_redis_chain.cc drives it without one.
//
// A chain is transferred as a description and a stream.  The description has
// the parameters and the lengths of the filters; the stream is the filters
// themselves, each the bytes of a .tamis file with its checksums, one after the
// other.  A chain that has received part of its stream is loading: it answers
// "maybe" to every key until the last filter was checked.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "module_memory.h"
#include "tamis/c.h"

namespace tamis {

enum class ChainKind : std::uint8_t { kBloom = 1, kCuckoo = 2 };

// Of a filter whose items expire.
inline constexpr std::uint32_t kMinGenerations = 2;
inline constexpr std::uint32_t kMaxGenerations = 64;

struct ChainParameters {
  ChainKind kind = ChainKind::kBloom;
  double error = 0;             // of a Bloom chain; between 0 and 1
  std::uint64_t capacity = 0;   // of the first filter; at least 1
  std::uint32_t expansion = 2;  // of each next one; 0: there is no next
  // Of a Bloom filter whose items expire: it is one filter, each of whose
  // generations has the capacity, and its expansion is 0.  0: no item expires.
  std::uint32_t generations = 0;
  // What CF.RESERVE was called with, for CF.INFO: no answer depends on them.
  std::uint32_t bucket_size = 0;
  std::uint32_t max_iterations = 0;
};

enum class ChainStatus {
  kOk,
  kFull,            // no space for the key, and the chain may not grow
  kGenerationFull,  // the same of the newest generation
  kNoMemory,        // or larger than any filter
  kLoading,         // its stream is not complete
  kDamaged,         // bytes are not what they should be
};

// The keys of one call.
struct ChainKeys {
  const char* const* keys;
  const std::size_t* lengths;
  std::size_t count;

  ChainKeys From(std::size_t first, std::size_t n) const noexcept {
    return {keys + first, lengths + first, n};
  }
};

class FilterChain {
 public:
  // A chain of one empty filter.
  static ChainStatus Create(const ChainParameters& parameters,
                            std::unique_ptr<FilterChain>* chain);
  // A chain that is loading, and has received nothing yet.
  static ChainStatus FromDescription(std::string_view description,
                                     std::unique_ptr<FilterChain>* chain);

  const ChainParameters& parameters() const noexcept { return parameters_; }
  std::size_t filters() const noexcept { return links_.size(); }
  std::uint64_t capacity() const noexcept;  // of all filters
  std::uint64_t items() const noexcept;
  std::uint64_t erased() const noexcept { return erased_; }
  std::uint64_t buckets() const noexcept;  // of cuckoo filters
  bool is_rotating() const noexcept { return parameters_.generations != 0; }
  std::uint64_t rotations() const noexcept;  // so far
  // All memory that the value takes.
  std::size_t MemoryBytes() const noexcept;

  // answers[i] is 0 only if keys[i] is certainly absent.
  void MayContain(const ChainKeys& keys, unsigned char* answers) const;

  // Of a Bloom chain: adds, in order, the keys that are certainly absent, and
  // sets is_new[i] to 1 for them and to 0 for others.  *done is the number of
  // keys up to the first that failed.  Keys that expire are added to the newest
  // generation, even if an older one has them, and are not new then.  items()
  // changes if anything does.
  ChainStatus AddNew(const ChainKeys& keys, unsigned char* is_new,
                     std::size_t* done);

  // Of a cuckoo chain.
  ChainStatus Insert(std::string_view key);
  // Undoes one insertion; *erased is false if the key is certainly absent.
  ChainStatus Erase(std::string_view key, bool* erased);
  std::uint64_t Count(std::string_view key) const;

  // Starts a new generation and drops the oldest.  REQUIRES: is_rotating()
  ChainStatus Rotate();

  std::string Description() const;
  bool is_loading() const noexcept { return loaded_ < links_.size(); }
  // The length of the stream, and how much of it is here.
  std::uint64_t StreamBytes() const noexcept;
  std::uint64_t ReceivedBytes() const noexcept;
  // Copies bytes of the stream that are here.  Returns their number; 0: there
  // are none from `offset` on, or there is no memory.
  std::size_t ReadStream(std::uint64_t offset, char* to,
                         std::size_t capacity) const;
  // Takes the next bytes of the stream.  kDamaged: they do not continue it, or
  // a filter is damaged, and is to be sent again from its first byte.
  ChainStatus Feed(std::uint64_t offset, std::string_view bytes);

 private:
  struct DestroyFilter {
    void operator()(tamis_mutable* filter) const noexcept {
      tamis_mutable_destroy(filter);
    }
  };
  struct Link {
    std::unique_ptr<tamis_mutable, DestroyFilter> filter;  // null: not loaded
    std::uint64_t capacity = 0;
    std::uint64_t bytes = 0;  // of its .tamis file
    std::uint64_t items = 0;
    std::uint64_t buckets = 0;
  };

  ChainStatus Grow();
  ChainStatus NewLink(std::uint64_t capacity, Link* link) const;
  // The header of the filter's file says how many keys and buckets it has.
  void ReadHeader(const char* header, Link* link) const noexcept;
  ChainStatus LoadReceived();
  // answers[i] becomes 1 if one of the first `links` filters may contain it.
  void QueryLinks(std::size_t links, const ChainKeys& keys,
                  unsigned char* answers) const;
  ChainStatus AddPiece(const ChainKeys& keys, unsigned char* is_new,
                       std::size_t* done);
  // How many keys that are new fit into the last filter.
  std::uint64_t Space() const noexcept;
  // Whether adding the key, to a last filter without space, changes nothing.
  bool IsThere(const ChainKeys& key) const;
  bool IsOfChain(std::string_view file) const noexcept;

  ChainParameters parameters_;
  std::vector<Link> links_;
  std::size_t loaded_ = 0;  // of links_; the ones after it have no filter
  ByteBuffer received_;     // of links_[loaded_]
  std::uint64_t erased_ = 0;
};

}  // namespace tamis
