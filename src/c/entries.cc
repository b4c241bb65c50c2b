// SPDX-License-Identifier: Apache-2.0
// tamis/c.h: batches and iterators.
#include <memory>
#include <new>

#include "c/calls.h"
#include "c/objects.h"

namespace tamis {
namespace {

// An iterator moves only where it says that it may.
template <typename Step>
void Move(tamis_iterator* iterator, Step&& step) noexcept {
  if (iterator->iterator->Valid()) step(*iterator->iterator);
}

const char* BytesOf(Slice slice, std::size_t* length) noexcept {
  *length = slice.size();
  // Null means that there is no entry, and an empty slice may be null.
  return slice.data() == nullptr ? "" : slice.data();
}

}  // namespace
}  // namespace tamis

extern "C" {

tamis_batch* tamis_batch_create() {
  tamis_batch* batch = nullptr;
  return tamis::Try([&] { batch = new tamis_batch; }) ? batch : nullptr;
}

void tamis_batch_destroy(tamis_batch* batch) { delete batch; }

int tamis_batch_put(tamis_batch* batch, const char* key, size_t key_length,
                    const char* value, size_t value_length, char** message) {
  return tamis::Call(message, [&] {
    tamis::Status fits = tamis::CheckEntrySizes(key_length, value_length);
    if (fits.ok()) {
      batch->batch.Put(tamis::SliceOf(key, key_length),
                       tamis::SliceOf(value, value_length));
    }
    return fits;
  });
}

int tamis_batch_delete(tamis_batch* batch, const char* key, size_t key_length,
                       char** message) {
  return tamis::Call(message, [&] {
    tamis::Status fits = tamis::CheckEntrySizes(key_length, 0);
    if (fits.ok()) batch->batch.Delete(tamis::SliceOf(key, key_length));
    return fits;
  });
}

void tamis_batch_clear(tamis_batch* batch) {
  // An empty batch fits into the memory that it has.
  (void)tamis::Try([&] { batch->batch.Clear(); });
}

size_t tamis_batch_count(const tamis_batch* batch) {
  return batch->batch.count();
}

int tamis_iterator_create(tamis_store* store, const tamis_read* read,
                          tamis_iterator** iterator, char** message) {
  return tamis::Call(message, [&] {
    auto result = std::make_unique<tamis_iterator>();
    result->store = store->store;
    if (read != nullptr) result->snapshot = read->snapshot;
    result->iterator = store->store->NewIterator(
        read != nullptr ? read->options : tamis::ReadOptions());
    *iterator = result.release();
    return tamis::Status::Ok();
  });
}

void tamis_iterator_destroy(tamis_iterator* iterator) { delete iterator; }

int tamis_iterator_valid(const tamis_iterator* iterator) {
  return iterator->iterator->Valid() ? 1 : 0;
}

void tamis_iterator_seek_to_first(tamis_iterator* iterator) {
  iterator->iterator->SeekToFirst();
}

void tamis_iterator_seek_to_last(tamis_iterator* iterator) {
  iterator->iterator->SeekToLast();
}

void tamis_iterator_seek(tamis_iterator* iterator, const char* key,
                         size_t length) {
  iterator->iterator->Seek(tamis::SliceOf(key, length));
}

void tamis_iterator_seek_for_prev(tamis_iterator* iterator, const char* key,
                                  size_t length) {
  iterator->iterator->SeekForPrev(tamis::SliceOf(key, length));
}

void tamis_iterator_next(tamis_iterator* iterator) {
  tamis::Move(iterator, [](tamis::Iterator& it) { it.Next(); });
}

void tamis_iterator_prev(tamis_iterator* iterator) {
  tamis::Move(iterator, [](tamis::Iterator& it) { it.Prev(); });
}

const char* tamis_iterator_key(const tamis_iterator* iterator, size_t* length) {
  *length = 0;
  if (!iterator->iterator->Valid()) return nullptr;
  return tamis::BytesOf(iterator->iterator->key(), length);
}

const char* tamis_iterator_value(const tamis_iterator* iterator,
                                 size_t* length) {
  *length = 0;
  if (!iterator->iterator->Valid()) return nullptr;
  return tamis::BytesOf(iterator->iterator->value(), length);
}

int tamis_iterator_status(const tamis_iterator* iterator, char** message) {
  return tamis::Call(message, [&] { return iterator->iterator->status(); });
}

}  // extern "C"
