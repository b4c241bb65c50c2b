// SPDX-License-Identifier: Apache-2.0
// base/thread_annotations.h -- states which lock guards what, in a form that
// clang checks (-Wthread-safety, an error in all builds by clang).
//
// These must be macros: gcc does not support the attributes and warns of each,
// and most of them name members that are declared further down, which clang
// accepts in the GNU spelling only.  For other compilers they expand to
// nothing.
//
// base/mutex.h has the locks to use them with.

#pragma once

#if defined(__clang__)
#define TAMIS_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define TAMIS_THREAD_ATTRIBUTE(x)
#endif

// A class whose objects can be held: a lock, or a permission.
#define TAMIS_CAPABILITY(name) TAMIS_THREAD_ATTRIBUTE(capability(name))
// A class that holds a capability from its constructor to its destructor.
#define TAMIS_SCOPED_CAPABILITY TAMIS_THREAD_ATTRIBUTE(scoped_lockable)

// A member that is read and written only while `x` is held.
#define TAMIS_GUARDED_BY(x) TAMIS_THREAD_ATTRIBUTE(guarded_by(x))

// A function that may be called only while all of these are held.  It may
// release them if it holds them again when it returns.
#define TAMIS_REQUIRES(...) \
  TAMIS_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
// A function that may be called only while none of these is held: it takes
// them.
#define TAMIS_EXCLUDES(...) TAMIS_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))

// A function that acquires or releases these.  Without arguments: the object
// itself.
#define TAMIS_ACQUIRE(...) \
  TAMIS_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define TAMIS_RELEASE(...) \
  TAMIS_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
// The same where the function returns `result`, the first argument.
#define TAMIS_TRY_ACQUIRE(...) \
  TAMIS_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))

// A function that tells the analysis that these are held.
#define TAMIS_ASSERT_HELD(...) \
  TAMIS_THREAD_ATTRIBUTE(assert_capability(__VA_ARGS__))

// A function whose body is not analysed, because it implements a lock.
#define TAMIS_NOT_ANALYSED TAMIS_THREAD_ATTRIBUTE(no_thread_safety_analysis)
