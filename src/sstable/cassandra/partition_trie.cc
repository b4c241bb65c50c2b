// SPDX-License-Identifier: Apache-2.0
#include "sstable/cassandra/partition_trie.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/coding.h"
#include "tamis/slice.h"

namespace tamis {
namespace {

constexpr std::size_t kFooterBytes = 24;
constexpr std::size_t kPayloadBytes = 1 + 8;  // a byte of hash, and a number

// The kinds of nodes, as the high half of their first byte numbers them.  The
// low half says what payload follows the node, or is a part of the pointer.
enum class Shape { kLeaf, kSingle, kSparse, kDense };
struct NodeKind {
  Shape shape;
  unsigned pointer_bits;
  bool has_payload_bits = true;
};
constexpr NodeKind kKinds[16] = {
    {Shape::kLeaf, 0},    {Shape::kSingle, 4, false},
    {Shape::kSingle, 8},  {Shape::kSingle, 12, false},
    {Shape::kSingle, 16}, {Shape::kSparse, 8},
    {Shape::kSparse, 12}, {Shape::kSparse, 16},
    {Shape::kSparse, 24}, {Shape::kSparse, 40},
    {Shape::kDense, 12},  {Shape::kDense, 16},
    {Shape::kDense, 24},  {Shape::kDense, 32},
    {Shape::kDense, 40},  {Shape::kDense, 64},
};

std::uint64_t BigNumber(const char* p, std::size_t bytes) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    value = value << 8 | static_cast<unsigned char>(p[i]);
  }
  return value;
}

// Pointers of 12 bits share a byte with their neighbour.
std::uint64_t Pointer(const char* pointers, unsigned bits, std::size_t i) {
  if (bits != 12) return BigNumber(pointers + i * bits / 8, bits / 8);
  const std::size_t at = i * 12 / 8;
  const std::uint64_t word = BigNumber(pointers + at, 2);
  return i % 2 == 0 ? word >> 4 : word & 0xfff;
}

// One node, read from the file.
struct Node {
  std::vector<std::uint64_t> children;  // positions, in order
  unsigned payload_bits = 0;
  char payload[kPayloadBytes] = {};
  std::size_t payload_bytes = 0;  // that are there
};

class TrieReader {
 public:
  explicit TrieReader(const ReadableFile& file) : file_(file) {}

  // False: the node is damaged.
  bool ReadNode(std::uint64_t at, Node* node);

 private:
  bool ReadChildren(std::uint64_t at, const NodeKind& kind, Slice bytes,
                    Node* node);
  std::size_t SizeOf(const NodeKind& kind, Slice bytes) const noexcept;

  const ReadableFile& file_;
  std::string scratch_;
};

// Without the payload.  0: it is cut off.
std::size_t TrieReader::SizeOf(const NodeKind& kind,
                               Slice bytes) const noexcept {
  std::size_t size = 1;
  if (kind.shape == Shape::kSingle) {
    size = 2 + (kind.pointer_bits == 12 ? 1 : kind.pointer_bits / 8);
  } else if (kind.shape != Shape::kLeaf) {
    const std::size_t head = kind.shape == Shape::kSparse ? 2 : 3;
    if (bytes.size() < head) return 0;
    const bool is_sparse = kind.shape == Shape::kSparse;
    const std::size_t count = ByteAt(bytes, head - 1) + (is_sparse ? 0u : 1u);
    size = head + (is_sparse ? count : 0) + (count * kind.pointer_bits + 7) / 8;
  }
  return size <= bytes.size() ? size : 0;
}

bool TrieReader::ReadChildren(std::uint64_t at, const NodeKind& kind,
                              Slice bytes, Node* node) {
  std::vector<std::uint64_t> distances;
  if (kind.shape == Shape::kSingle) {
    switch (kind.pointer_bits) {
      case 4:
        distances.push_back(ByteAt(bytes, 0) & 0xf);
        break;
      case 12:
        distances.push_back(BigNumber(bytes.data(), 2) & 0xfff);
        break;
      default:
        distances.push_back(BigNumber(bytes.data() + 2, kind.pointer_bits / 8));
    }
  } else if (kind.shape != Shape::kLeaf) {
    const bool is_sparse = kind.shape == Shape::kSparse;
    const std::size_t head = is_sparse ? 2 : 3;
    const std::size_t count = ByteAt(bytes, head - 1) + (is_sparse ? 0u : 1u);
    const char* const pointers = bytes.data() + head + (is_sparse ? count : 0);
    for (std::size_t i = 0; i < count; ++i) {
      distances.push_back(Pointer(pointers, kind.pointer_bits, i));
    }
  }
  for (const std::uint64_t distance : distances) {
    // In a dense node, 0 says that there is no such child.
    if (distance == 0 && kind.shape == Shape::kDense) continue;
    if (distance == 0 || distance > at) return false;
    node->children.push_back(at - distance);
  }
  return true;
}

bool TrieReader::ReadNode(std::uint64_t at, Node* node) {
  // The largest node is dense, with 256 pointers of 8 bytes.
  constexpr std::size_t kMaxNode = 3 + 256 * 8 + kPayloadBytes;
  constexpr std::size_t kUsual = 64;
  *node = Node();
  for (const std::size_t most : {kUsual, kMaxNode}) {
    const Result<Slice> bytes = file_.ReadAtMost(at, most, &scratch_);
    if (!bytes.ok() || bytes->empty()) return false;
    const NodeKind& kind = kKinds[ByteAt(*bytes, 0) >> 4];
    const std::size_t size = SizeOf(kind, *bytes);
    if (size == 0 || (bytes->size() - size < kPayloadBytes &&
                      bytes->size() == most && most == kUsual)) {
      continue;
    }
    if (kind.has_payload_bits) node->payload_bits = ByteAt(*bytes, 0) & 0xf;
    node->payload_bytes = std::min(bytes->size() - size, kPayloadBytes);
    std::copy_n(bytes->data() + size, node->payload_bytes, node->payload);
    return ReadChildren(at, kind, *bytes, node);
  }
  return false;
}

// With 8 or more in its bits, a byte of the key's hash comes first.
bool ReadPlace(const Node& node, PartitionPlace* place) noexcept {
  const bool has_hash = node.payload_bits >= 8;
  const std::size_t bytes =
      has_hash ? node.payload_bits - 7 : node.payload_bits;
  const std::size_t start = has_hash ? 1 : 0;
  if (start + bytes > node.payload_bytes) return false;
  const unsigned unused = static_cast<unsigned>(64 - 8 * bytes);
  const auto value = static_cast<std::int64_t>(
                         BigNumber(node.payload + start, bytes) << unused) >>
                     unused;
  place->is_in_rows = value >= 0;
  place->position = static_cast<std::uint64_t>(value >= 0 ? value : ~value);
  return true;
}

}  // namespace

Result<PartitionTrieFooter> PartitionTrieFooter::Read(
    const ReadableFile& file) {
  if (file.size() < kFooterBytes) {
    return Status::Corruption("offset 0: it is shorter than its footer");
  }
  const std::uint64_t at = file.size() - kFooterBytes;
  std::string scratch;
  const Result<Slice> bytes = file.Read(at, kFooterBytes, &scratch);
  if (!bytes.ok()) return bytes.status();
  PartitionTrieFooter footer;
  footer.keys = LoadBig<std::uint64_t>(bytes->data() + 8);
  footer.root = LoadBig<std::uint64_t>(bytes->data() + 16);
  if (footer.root >= at) {
    return Status::Corruption("offset " + std::to_string(at) +
                              ": its root is not within the file");
  }
  return footer;
}

Status ForEachPartition(
    const ReadableFile& file, const PartitionTrieFooter& footer,
    const std::function<bool(const PartitionPlace&)>& take) {
  TrieReader reader(file);
  Node node;
  // Children are before their parents, so this ends; but shared nodes could
  // make it long.
  std::uint64_t budget = file.size();
  std::vector<std::uint64_t> left = {footer.root};
  while (!left.empty()) {
    const std::uint64_t at = left.back();
    left.pop_back();
    PartitionPlace place;
    if (budget-- == 0 || left.size() > file.size() ||
        !reader.ReadNode(at, &node) ||
        (node.payload_bits != 0 && !ReadPlace(node, &place))) {
      return Status::Corruption("offset " + std::to_string(at) +
                                ": the node of the trie is damaged");
    }
    if (node.payload_bits != 0 && !take(place)) return Status::Ok();
    // The first child is taken next.
    left.insert(left.end(), node.children.rbegin(), node.children.rend());
  }
  return Status::Ok();
}

}  // namespace tamis
