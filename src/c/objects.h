// SPDX-License-Identifier: Apache-2.0
// c/objects.h -- what the opaque pointers of tamis/c.h point to.  An object
// shares what it needs, so that the order in which a program destroys its
// objects does not matter.

#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "tamis/c.h"
#include "tamis/filter.h"
#include "tamis/filter_file.h"
#include "tamis/filter_memory.h"
#include "tamis/iterator.h"
#include "tamis/mutable_filter.h"
#include "tamis/store.h"
#include "tamis/write_batch.h"

struct tamis_options {
  std::map<std::string, std::string, std::less<>> values;
};

struct tamis_policy {
  std::shared_ptr<const tamis::FilterPolicy> policy;
  std::string name;
};

struct tamis_builder {
  std::shared_ptr<const tamis::FilterPolicy> policy;
  std::unique_ptr<tamis::FilterBuilder> builder;
  bool is_out_of_memory = false;  // a key may be missing
};

// The filter is one of `opened`, `file` or a mutable filter's.
struct tamis_filter {
  std::shared_ptr<const tamis::FilterPolicy> policy;  // of `opened`
  std::optional<tamis::FilterMemory> memory;          // its bytes, if copied
  std::unique_ptr<const tamis::FilterReader> opened;
  std::unique_ptr<const tamis::FilterFile> file;
  const tamis::FilterReader* reader = nullptr;
  tamis::Slice bytes;
};

struct tamis_mutable {
  std::shared_ptr<const tamis::FilterPolicy> policy;
  std::unique_ptr<tamis::MutableFilter> filter;
  tamis::ErasableFilter* erasable = nullptr;  // the same, if it can
  tamis::RotatingFilter* rotating = nullptr;
  tamis_filter view;
};

struct tamis_store {
  std::shared_ptr<tamis::Store> store;
};

struct tamis_snapshot {
  std::shared_ptr<tamis::Store> store;
  std::shared_ptr<const tamis::Snapshot> snapshot;
};

struct tamis_read {
  // The bounds of `options` are views of these.
  std::optional<std::string> lower_bound;
  std::optional<std::string> upper_bound;
  std::optional<std::string> prefix;
  // The store of the snapshot: destroyed after it.
  std::shared_ptr<tamis::Store> store;
  std::shared_ptr<const tamis::Snapshot> snapshot;
  tamis::ReadOptions options;
};

struct tamis_batch {
  tamis::WriteBatch batch;
};

struct tamis_iterator {
  std::shared_ptr<tamis::Store> store;
  std::shared_ptr<const tamis::Snapshot> snapshot;
  std::unique_ptr<tamis::Iterator> iterator;
};
