// SPDX-License-Identifier: Apache-2.0
#include "filter_chain.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "chain_codec.h"

namespace tamis {
namespace {

// As many keys at a time as the library prefetches for.
constexpr std::size_t kPiece = 256;
// A query of so many filters takes milliseconds; nobody means it.
constexpr std::size_t kMaxLinks = std::size_t{1} << 16;
constexpr std::uint64_t kMaxCapacity = std::uint64_t{1} << 56;

// Of the header of a .tamis file (docs/formats/tamis.md).
constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kKindAt = 10;
constexpr std::size_t kKeysAt = 24;
constexpr std::size_t kSizeParameterAt = 32;
constexpr std::size_t kGenerationsAt = 44;
constexpr std::uint64_t kClassicKind = 1;
constexpr std::uint64_t kLineKind = 2;
constexpr std::uint64_t kCuckooKind = 7;
constexpr std::uint64_t kRotatingKind = 9;

// 2 of 1,000 absent keys are false positives of one filter.
constexpr std::uint64_t kFingerprintBits = 12;
constexpr std::uint64_t kSlotsOfBucket = 4;
// Below this rate lines of 512 bits take a fifth more than bits anywhere.
constexpr double kMinLineError = 1e-4;
// The first filter of a chain that grows has half of its rate, and each next
// one half of the one before, so that the sum is at most the whole; but none
// less than this part, because bits would be spent on filters that are never
// there.  The sum of n filters is at most 1 + n / 1024 times the rate.
constexpr double kMinErrorPart = 1.0 / 1024;

double ErrorOf(const ChainParameters& parameters, std::size_t index) {
  if (parameters.expansion == 0) return parameters.error;
  double part = 0.5;
  for (std::size_t i = 0; i < index && part > kMinErrorPart; ++i) part /= 2;
  return parameters.error * part;
}

template <typename Number>
std::string TextOf(Number number) {
  std::array<char, 32> digits;  // in every locale with a point
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return std::string(digits.data(), end);
}

std::string BloomSpec(const ChainParameters& parameters, std::size_t index) {
  if (parameters.generations != 0) {
    return "rotating:fpr=" + TextOf(parameters.error) +
           ",generations=" + TextOf(parameters.generations);
  }
  const double error = ErrorOf(parameters, index);
  return (error >= kMinLineError ? "bloom:fpr=" : "classic:fpr=") +
         TextOf(error);
}

// An erasure takes a fingerprint from the newest filter that has it.  Where
// that belongs to another key, the erased key's own, in an older filter, must
// do for the other one: so two keys that a filter takes for one are taken for
// one by every older filter, too.  They are if fingerprints are as long and the
// number of buckets is a multiple of the older one's.
std::string CuckooSpec(std::uint64_t slots) {
  return "cuckoo:m=" + TextOf(slots) + ",k=" + TextOf(kFingerprintBits);
}

// Returns the slots of the first filter, of which 19 in 20 can be in use.
std::uint64_t SlotsFor(std::uint64_t capacity) noexcept {
  constexpr std::uint64_t kUnit = 2 * kSlotsOfBucket;
  const std::uint64_t slots = capacity + capacity / 19 + 1;
  return (slots + kUnit - 1) / kUnit * kUnit;
}

ChainStatus StatusOf(int code) noexcept {
  switch (code) {
    case TAMIS_OK:
      return ChainStatus::kOk;
    case TAMIS_FILTER_FULL:
      return ChainStatus::kFull;
    case TAMIS_RESOURCE_EXHAUSTED:
    case TAMIS_INVALID_ARGUMENT:  // larger than the format can represent
    case TAMIS_NOT_SUPPORTED:
      return ChainStatus::kNoMemory;
    default:
      return ChainStatus::kDamaged;
  }
}

}  // namespace

ChainStatus FilterChain::Create(const ChainParameters& parameters,
                                std::unique_ptr<FilterChain>* chain) {
  auto made = std::make_unique<FilterChain>();
  made->parameters_ = parameters;
  const ChainStatus status = made->Grow();
  if (status == ChainStatus::kOk) *chain = std::move(made);
  return status;
}

ChainStatus FilterChain::FromDescription(std::string_view description,
                                         std::unique_ptr<FilterChain>* chain) {
  ChainDescription read;
  if (!DecodeDescription(description, kMaxLinks, &read)) {
    return ChainStatus::kDamaged;
  }
  auto made = std::make_unique<FilterChain>();
  made->parameters_ = read.parameters;
  made->erased_ = read.erased;
  made->links_.resize(read.filters.size());
  for (std::size_t i = 0; i < read.filters.size(); ++i) {
    made->links_[i].capacity = read.filters[i].capacity;
    made->links_[i].bytes = read.filters[i].bytes;
  }
  *chain = std::move(made);
  return ChainStatus::kOk;
}

std::uint64_t FilterChain::capacity() const noexcept {
  std::uint64_t sum = 0;
  for (const Link& link : links_) sum += link.capacity;
  return sum;
}

std::uint64_t FilterChain::rotations() const noexcept {
  return is_rotating() && !is_loading()
             ? tamis_mutable_rotations(links_.back().filter.get())
             : 0;
}

std::uint64_t FilterChain::items() const noexcept {
  std::uint64_t sum = 0;
  for (const Link& link : links_) sum += link.items;
  return sum;
}

std::uint64_t FilterChain::buckets() const noexcept {
  std::uint64_t sum = 0;
  for (const Link& link : links_) sum += link.buckets;
  return sum;
}

std::size_t FilterChain::MemoryBytes() const noexcept {
  // About what the library's object and malloc take for a filter beside its
  // bits, which have no header in memory.
  constexpr std::size_t kObjectBytes = 256;
  std::size_t sum = sizeof(FilterChain) + links_.capacity() * sizeof(Link) +
                    received_.capacity();
  for (std::size_t i = 0; i < loaded_; ++i) {
    sum += static_cast<std::size_t>(links_[i].bytes) + kObjectBytes;
  }
  return sum;
}

ChainStatus FilterChain::NewLink(std::uint64_t capacity, Link* link) const {
  std::string spec = BloomSpec(parameters_, links_.size());
  if (parameters_.kind == ChainKind::kCuckoo) {
    spec = CuckooSpec(links_.empty() ? SlotsFor(capacity)
                                     : links_.back().buckets * kSlotsOfBucket *
                                           parameters_.expansion);
  }
  tamis_mutable* filter = nullptr;
  int code =
      tamis_mutable_create(spec.c_str(), capacity, nullptr, &filter, nullptr);
  if (code != TAMIS_OK) return StatusOf(code);
  link->filter.reset(filter);
  link->capacity = capacity;
  std::array<char, kHeaderBytes> header;
  std::size_t length = 0;
  code = tamis_mutable_save_piece(filter, 0, header.data(), header.size(),
                                  &length, &link->bytes, nullptr);
  if (code != TAMIS_OK) return StatusOf(code);
  ReadHeader(header.data(), link);
  return ChainStatus::kOk;
}

void FilterChain::ReadHeader(const char* header, Link* link) const noexcept {
  constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
  link->items = LoadNumber(header + kKeysAt, 8);
  if (link->items == kUnknown) link->items = 0;
  if (parameters_.kind == ChainKind::kCuckoo) {
    link->buckets = LoadNumber(header + kSizeParameterAt, 8);
  }
}

ChainStatus FilterChain::Grow() {
  std::uint64_t capacity = parameters_.capacity;
  if (!links_.empty()) {
    if (parameters_.expansion == 0 || links_.size() >= kMaxLinks) {
      return ChainStatus::kFull;
    }
    capacity = links_.back().capacity;
    if (capacity > kMaxCapacity / parameters_.expansion) {
      return ChainStatus::kNoMemory;
    }
    capacity *= parameters_.expansion;
  }
  if (capacity > kMaxCapacity) return ChainStatus::kNoMemory;
  Link link;
  const ChainStatus status = NewLink(capacity, &link);
  if (status != ChainStatus::kOk) return status;
  links_.push_back(std::move(link));
  ++loaded_;
  return ChainStatus::kOk;
}

void FilterChain::QueryLinks(std::size_t links, const ChainKeys& keys,
                             unsigned char* answers) const {
  std::array<unsigned char, kPiece> of_link;
  std::fill_n(answers, keys.count, static_cast<unsigned char>(0));
  // The newest have most keys.
  for (std::size_t i = links; i > 0; --i) {
    tamis_filter_may_contain_many(
        tamis_mutable_filter(links_[i - 1].filter.get()), keys.keys,
        keys.lengths, keys.count, of_link.data());
    for (std::size_t k = 0; k < keys.count; ++k) answers[k] |= of_link[k];
  }
}

void FilterChain::MayContain(const ChainKeys& keys,
                             unsigned char* answers) const {
  if (is_loading()) {  // the filter with the key may be still to come
    std::fill_n(answers, keys.count, static_cast<unsigned char>(1));
    return;
  }
  for (std::size_t first = 0; first < keys.count; first += kPiece) {
    const std::size_t n = std::min(kPiece, keys.count - first);
    QueryLinks(links_.size(), keys.From(first, n), answers + first);
  }
}

ChainStatus FilterChain::AddNew(const ChainKeys& keys, unsigned char* is_new,
                                std::size_t* done) {
  *done = 0;
  if (is_loading()) return ChainStatus::kLoading;
  while (*done < keys.count) {
    const std::uint64_t left = Space();
    if (left == 0) {  // only a key that is new needs another filter
      if (IsThere(keys.From(*done, 1))) {
        is_new[(*done)++] = 0;
        continue;
      }
      if (is_rotating()) return ChainStatus::kGenerationFull;
      if (const ChainStatus grown = Grow(); grown != ChainStatus::kOk) {
        return grown;
      }
      continue;
    }
    const std::uint64_t fits = std::min<std::uint64_t>(left, kPiece);
    const std::size_t n =
        std::min(static_cast<std::size_t>(fits), keys.count - *done);
    const ChainStatus added = AddPiece(keys.From(*done, n), is_new, done);
    if (added != ChainStatus::kOk) return added;
  }
  return ChainStatus::kOk;
}

std::uint64_t FilterChain::Space() const noexcept {
  const Link& last = links_.back();
  const std::uint64_t items =
      is_rotating() ? tamis_mutable_generation_keys(last.filter.get(), 0)
                    : last.items;
  return items < last.capacity ? last.capacity - items : 0;
}

bool FilterChain::IsThere(const ChainKeys& key) const {
  if (is_rotating()) {
    return tamis_mutable_newest_may_contain(links_.back().filter.get(),
                                            key.keys[0], key.lengths[0]) != 0;
  }
  unsigned char answer = 0;
  QueryLinks(links_.size(), key, &answer);
  return answer != 0;
}

// REQUIRES: at most kPiece keys, which fit into the last filter
ChainStatus FilterChain::AddPiece(const ChainKeys& keys, unsigned char* is_new,
                                  std::size_t* done) {
  std::array<unsigned char, kPiece> in_older;
  QueryLinks(links_.size() - 1, keys, in_older.data());
  std::array<const char*, kPiece> others;
  std::array<std::size_t, kPiece> lengths;
  std::size_t count = 0;
  for (std::size_t i = 0; i < keys.count; ++i) {
    if (in_older[i] != 0) continue;
    others[count] = keys.keys[i];
    lengths[count++] = keys.lengths[i];
  }
  std::array<unsigned char, kPiece> inserted;
  std::size_t taken = 0;
  Link& last = links_.back();
  const std::uint64_t before =
      tamis_mutable_generation_keys(last.filter.get(), 0);
  const int code =
      tamis_mutable_insert_new(last.filter.get(), others.data(), lengths.data(),
                               count, inserted.data(), &taken, nullptr);
  last.items += tamis_mutable_generation_keys(last.filter.get(), 0) - before;
  std::size_t other = 0;
  for (std::size_t i = 0; i < keys.count; ++i) {
    if (in_older[i] == 0 && other == taken) break;  // here it failed
    const unsigned char answer = in_older[i] != 0 ? 0 : inserted[other++];
    if (!is_rotating()) last.items += answer;
    is_new[(*done)++] = answer;
  }
  return StatusOf(code);
}

ChainStatus FilterChain::Rotate() {
  if (is_loading()) return ChainStatus::kLoading;
  Link& link = links_.back();
  const int code = tamis_mutable_rotate(link.filter.get(), nullptr);
  link.items = 0;
  for (std::uint32_t age = 0; age < parameters_.generations; ++age) {
    link.items += tamis_mutable_generation_keys(link.filter.get(), age);
  }
  return StatusOf(code);
}

ChainStatus FilterChain::Insert(std::string_view key) {
  if (is_loading()) return ChainStatus::kLoading;
  for (;;) {
    // Erasures may have made space in an older one.
    for (std::size_t i = links_.size(); i > 0; --i) {
      Link& link = links_[i - 1];
      const int code = tamis_mutable_insert(link.filter.get(), key.data(),
                                            key.size(), nullptr);
      if (code == TAMIS_OK) ++link.items;
      if (code != TAMIS_FILTER_FULL) return StatusOf(code);
    }
    // A filter that is full with few keys has all slots of this key's buckets
    // taken by copies of it: another filter for each eight would be no end.
    const Link& last = links_.back();
    if (last.items < last.capacity / 2) return ChainStatus::kFull;
    if (const ChainStatus grown = Grow(); grown != ChainStatus::kOk) {
      return grown;
    }
  }
}

ChainStatus FilterChain::Erase(std::string_view key, bool* erased) {
  *erased = false;
  if (is_loading()) return ChainStatus::kLoading;
  for (std::size_t i = links_.size(); i > 0; --i) {
    Link& link = links_[i - 1];
    const int code =
        tamis_mutable_erase(link.filter.get(), key.data(), key.size(), nullptr);
    if (code == TAMIS_NOT_FOUND) continue;
    if (code != TAMIS_OK) return StatusOf(code);
    --link.items;
    ++erased_;
    *erased = true;
    return ChainStatus::kOk;
  }
  return ChainStatus::kOk;
}

std::uint64_t FilterChain::Count(std::string_view key) const {
  if (is_loading()) return 1;
  std::uint64_t count = 0;
  for (const Link& link : links_) {
    count += tamis_mutable_count(link.filter.get(), key.data(), key.size());
  }
  return count;
}

std::string FilterChain::Description() const {
  ChainDescription description;
  description.parameters = parameters_;
  description.erased = erased_;
  for (const Link& link : links_) {
    description.filters.push_back(
        {.capacity = link.capacity, .bytes = link.bytes});
  }
  return EncodeDescription(description);
}

std::uint64_t FilterChain::StreamBytes() const noexcept {
  std::uint64_t sum = 0;
  for (const Link& link : links_) sum += link.bytes;
  return sum;
}

std::uint64_t FilterChain::ReceivedBytes() const noexcept {
  std::uint64_t sum = received_.size();
  for (std::size_t i = 0; i < loaded_; ++i) sum += links_[i].bytes;
  return sum;
}

std::size_t FilterChain::ReadStream(std::uint64_t offset, char* to,
                                    std::size_t capacity) const {
  for (std::size_t i = 0; i < loaded_; ++i) {
    const Link& link = links_[i];
    if (offset >= link.bytes) {
      offset -= link.bytes;
      continue;
    }
    std::size_t length = 0;
    std::uint64_t total = 0;
    const int code = tamis_mutable_save_piece(
        link.filter.get(), offset, to, capacity, &length, &total, nullptr);
    return code == TAMIS_OK ? length : 0;
  }
  if (offset >= received_.size()) return 0;
  const auto from = static_cast<std::size_t>(offset);
  const std::size_t length = std::min(capacity, received_.size() - from);
  std::memcpy(to, received_.data() + from, length);
  return length;
}

ChainStatus FilterChain::Feed(std::uint64_t offset, std::string_view bytes) {
  if (offset != ReceivedBytes()) return ChainStatus::kDamaged;
  while (!bytes.empty()) {
    if (!is_loading()) return ChainStatus::kDamaged;
    const std::uint64_t missing = links_[loaded_].bytes - received_.size();
    const std::size_t n = static_cast<std::size_t>(
        std::min<std::uint64_t>(missing, bytes.size()));
    if (!received_.Append(bytes.substr(0, n))) return ChainStatus::kNoMemory;
    bytes.remove_prefix(n);
    if (n < missing) break;
    if (const ChainStatus status = LoadReceived(); status != ChainStatus::kOk) {
      received_.Clear();
      return status;
    }
  }
  return ChainStatus::kOk;
}

bool FilterChain::IsOfChain(std::string_view file) const noexcept {
  const std::uint64_t kind = LoadNumber(file.data() + kKindAt, 2);
  if (is_rotating()) {
    return kind == kRotatingKind && LoadNumber(file.data() + kGenerationsAt,
                                               4) == parameters_.generations;
  }
  return parameters_.kind == ChainKind::kCuckoo
             ? kind == kCuckooKind
             : (kind == kClassicKind || kind == kLineKind);
}

ChainStatus FilterChain::LoadReceived() {
  Link& link = links_[loaded_];
  if (!IsOfChain({received_.data(), received_.size()})) {
    return ChainStatus::kDamaged;
  }
  tamis_mutable* filter = nullptr;
  const int code =
      tamis_mutable_load(received_.data(), received_.size(), &filter, nullptr);
  if (code == TAMIS_RESOURCE_EXHAUSTED) return ChainStatus::kNoMemory;
  if (code != TAMIS_OK) return ChainStatus::kDamaged;
  link.filter.reset(filter);
  ReadHeader(received_.data(), &link);
  received_.Clear();
  ++loaded_;
  return ChainStatus::kOk;
}

}  // namespace tamis
