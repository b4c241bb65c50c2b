// SPDX-License-Identifier: Apache-2.0
// store/log_replay.h -- how far the logs of a store are to be replayed, and
// what has become of the rest.
//
// Writes that were not synced may be lost with the machine, and a disk writes
// what it has in any order: a log then has holes.  What is replayed is a prefix
// of all writes: it ends at the first hole, and what lies behind is dropped, in
// later logs, too.  A hole before a sync mark cannot be the loss of writes that
// were not synced: it is damage.  Logs without marks, LevelDB's and those of
// older versions, may lack their end; other holes in them are damage.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "store/log_markers.h"
#include "store/manifest.h"
#include "tamis/env.h"

namespace tamis {

// One log, all of it in memory, and what PlanReplay() says of it.
struct ReplayLog {
  std::uint64_t number = 0;
  std::string path;
  std::string contents;
  // Bytes could not be read and are zeros in the contents: a hole then means
  // nothing.  `damage` tells of them already.
  bool is_read_in_part = false;

  bool is_ours = false;
  LogHead head;                   // if it is ours
  std::uint64_t replay_to = 0;    // what ends beyond this is dropped
  std::uint64_t end = 0;          // of the last record that is replayed
  Sequence next = 0;              // after the last write in that; 0: none
  bool can_be_continued = false;  // it may be written on from `end`
  std::uint64_t records = 0;      // that are replayed
  std::uint64_t changes = 0;      // in them
  std::uint64_t dropped = 0;  // records that are not: the last note says why
  // Among what is not replayed there are bytes that may hold more records.
  bool may_hide_records = false;
  // Sentences without the file's name: what is missing that may be missing, and
  // what was passed over as damaged.  Of damage a log tells about a hundred
  // times at most, and then how often more.
  std::vector<std::string> notes;
  std::vector<std::string> damage;
};

// The logs that may hold what no table has, in order, read.
// ResourceExhausted: one has more than `limit` bytes.
Result<std::vector<ReplayLog>> ReadLogs(Env& env, const std::string& dir,
                                        const ManifestState& state,
                                        std::uint64_t limit);

// One log, though there may be sectors that cannot be read.  Fails with what is
// no damage (see base/damage.h), or where there is no such file or none of it
// can be read.  Every message names the file.
Result<ReplayLog> ReadLogInPart(Env& env, const std::string& dir,
                                std::uint64_t number, std::uint64_t limit);

// Fills in what is to be done with them.  Damage is told of in them, and passed
// over; who does not want that must look.  Takes time in proportion to the
// logs.
void PlanReplay(const ManifestState& state, std::vector<ReplayLog>* logs);

// Calls visit(batch) for the batches of a log that are to be replayed, or for
// those that are dropped, in order, until it says otherwise.
enum class LogPart { kReplayed, kDropped };
Status ForEachBatch(const ReplayLog& log, LogPart part,
                    const std::function<Status(Slice batch)>& visit);

// Writes the batches that are dropped to a log in DIR/lost, and makes that
// durable.  Where bytes are dropped that may hold more, it is the whole log, as
// it is.  *path is its name; empty: nothing is dropped.
Status SaveDropped(Env& env, const std::string& dir, const ReplayLog& log,
                   std::string* path);

}  // namespace tamis
