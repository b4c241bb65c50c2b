/* SPDX-License-Identifier: Apache-2.0 */
/* mutable.c -- Mutable: a filter that takes keys one by one.
 *
 * Calls that may take long let other threads of Python run, so each filter has
 * a lock: queries share it, changes do not.  It is never waited for while this
 * thread holds Python's own lock, which the other one may need to get on. */
#include <pthread.h>

#include "module.h"

typedef struct {
  PyObject_HEAD tamis_mutable* filter;
  pthread_rwlock_t lock;
} mutable_object;

static void lock_for_query(mutable_object* self) {
  if (pthread_rwlock_tryrdlock(&self->lock) == 0) return;
  Py_BEGIN_ALLOW_THREADS pthread_rwlock_rdlock(&self->lock);
  Py_END_ALLOW_THREADS
}

static void lock_for_change(mutable_object* self) {
  if (pthread_rwlock_trywrlock(&self->lock) == 0) return;
  Py_BEGIN_ALLOW_THREADS pthread_rwlock_wrlock(&self->lock);
  Py_END_ALLOW_THREADS
}

static void unlock(mutable_object* self) { pthread_rwlock_unlock(&self->lock); }

static PyObject* new_mutable(PyTypeObject* type, tamis_mutable* filter) {
  mutable_object* self = (mutable_object*)PyType_GenericAlloc(type, 0);
  if (self == NULL) {
    tamis_mutable_destroy(filter);
    return NULL;
  }
  self->filter = filter;
  pthread_rwlock_init(&self->lock, NULL);
  return (PyObject*)self;
}

static PyObject* mutable_new(PyTypeObject* type, PyObject* arguments,
                             PyObject* names) {
  static char* keywords[] = {"policy", "planned_keys", "options", NULL};
  const char* spec;
  unsigned long long planned;
  PyObject* dict = NULL;
  tamis_options* options;
  tamis_mutable* filter = NULL;
  char* message;
  int code;
  if (!PyArg_ParseTupleAndKeywords(arguments, names, "sK|O", keywords, &spec,
                                   &planned, &dict) ||
      !open_options(dict, &options)) {
    return NULL;
  }
  code = tamis_mutable_create(spec, planned, options, &filter, &message);
  tamis_options_destroy(options);
  return code == TAMIS_OK ? new_mutable(type, filter)
                          : raise_error(code, message);
}

static PyObject* mutable_load(PyObject* type, PyObject* data) {
  Py_buffer view;
  tamis_mutable* filter = NULL;
  char* message;
  int code;
  if (PyObject_GetBuffer(data, &view, PyBUF_SIMPLE) != 0) return NULL;
  Py_BEGIN_ALLOW_THREADS code =
      tamis_mutable_load(view.buf, (size_t)view.len, &filter, &message);
  Py_END_ALLOW_THREADS PyBuffer_Release(&view);
  return code == TAMIS_OK ? new_mutable((PyTypeObject*)type, filter)
                          : raise_error(code, message);
}

static void mutable_dealloc(PyObject* object) {
  mutable_object* self = (mutable_object*)object;
  PyTypeObject* type = Py_TYPE(object);
  tamis_mutable_destroy(self->filter);
  pthread_rwlock_destroy(&self->lock);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

static int mutable_contains(PyObject* object, PyObject* item) {
  mutable_object* self = (mutable_object*)object;
  struct key key;
  int maybe;
  if (!open_key(item, &key)) return -1;
  lock_for_query(self);
  maybe = tamis_filter_may_contain(tamis_mutable_filter(self->filter),
                                   key.bytes, key.length);
  unlock(self);
  close_key(&key);
  return maybe;
}

static PyObject* mutable_query(PyObject* object, PyObject* many) {
  mutable_object* self = (mutable_object*)object;
  struct keys keys;
  PyObject* answers;
  if (!open_keys(many, &keys)) return NULL;
  lock_for_query(self);
  answers = ask_filter(tamis_mutable_filter(self->filter), &keys);
  unlock(self);
  close_keys(&keys);
  return answers;
}

static PyObject* mutable_add(PyObject* object, PyObject* item) {
  mutable_object* self = (mutable_object*)object;
  struct key key;
  char* message;
  int code;
  if (!open_key(item, &key)) return NULL;
  lock_for_change(self);
  code = tamis_mutable_insert(self->filter, key.bytes, key.length, &message);
  unlock(self);
  close_key(&key);
  if (!is_ok(code, message)) return NULL;
  Py_RETURN_NONE;
}

static int insert_text(tamis_mutable* filter, const struct keys* keys,
                       char** message) {
  struct text_piece piece;
  size_t first = 0;
  int code;
  do { /* once also for no keys, which sets the message */
    take_text_piece(keys, first, &piece);
    code = tamis_mutable_insert_many(filter, piece.pointers, piece.lengths,
                                     piece.count, message);
    first += piece.count;
  } while (code == TAMIS_OK && first < keys->count);
  return code;
}

static int insert_keys(tamis_mutable* filter, const struct keys* keys,
                       char** message) {
  if (keys->is_text) return insert_text(filter, keys, message);
  if (keys->pointers != NULL) {
    return tamis_mutable_insert_many(filter, keys->pointers, keys->lengths,
                                     keys->count, message);
  }
  return tamis_mutable_insert_fixed(filter, keys->fixed, keys->width,
                                    keys->stride, keys->count, message);
}

static PyObject* mutable_update(PyObject* object, PyObject* many) {
  mutable_object* self = (mutable_object*)object;
  struct keys keys;
  char* message;
  int code;
  if (!open_keys(many, &keys)) return NULL;
  lock_for_change(self);
  Py_BEGIN_ALLOW_THREADS code = insert_keys(self->filter, &keys, &message);
  Py_END_ALLOW_THREADS unlock(self);
  close_keys(&keys);
  if (!is_ok(code, message)) return NULL;
  Py_RETURN_NONE;
}

static PyObject* mutable_erase(PyObject* object, PyObject* item) {
  mutable_object* self = (mutable_object*)object;
  struct key key;
  char* message;
  int code;
  if (!open_key(item, &key)) return NULL;
  lock_for_change(self);
  code = tamis_mutable_erase(self->filter, key.bytes, key.length, &message);
  unlock(self);
  close_key(&key);
  if (code == TAMIS_NOT_FOUND) { /* as set.remove() */
    tamis_free(message);
    PyErr_SetObject(PyExc_KeyError, item);
    return NULL;
  }
  if (!is_ok(code, message)) return NULL;
  Py_RETURN_NONE;
}

static PyObject* mutable_rotate(PyObject* object, PyObject* unused) {
  mutable_object* self = (mutable_object*)object;
  char* message;
  int code;
  (void)unused;
  lock_for_change(self);
  code = tamis_mutable_rotate(self->filter, &message);
  unlock(self);
  if (!is_ok(code, message)) return NULL;
  Py_RETURN_NONE;
}

static PyObject* mutable_save(PyObject* object, PyObject* unused) {
  mutable_object* self = (mutable_object*)object;
  char *bytes, *message;
  size_t length;
  int code;
  (void)unused;
  lock_for_query(self);
  Py_BEGIN_ALLOW_THREADS code =
      tamis_mutable_save(self->filter, &bytes, &length, &message);
  Py_END_ALLOW_THREADS unlock(self);
  return code == TAMIS_OK ? take_bytes(bytes, length)
                          : raise_error(code, message);
}

static PyObject* mutable_describe(PyObject* object, PyObject* unused) {
  mutable_object* self = (mutable_object*)object;
  PyObject* text;
  (void)unused;
  lock_for_query(self);
  text = describe_filter(tamis_mutable_filter(self->filter));
  unlock(self);
  return text;
}

/* The buffer is what save() returns; the view owns it. */
static int mutable_getbuffer(PyObject* object, Py_buffer* view, int flags) {
  PyObject* bytes = mutable_save(object, NULL);
  int result;
  if (bytes == NULL) return -1;
  result = PyObject_GetBuffer(bytes, view, flags);
  Py_DECREF(bytes);
  return result;
}

static PyMethodDef methods[] = {
    {"_load", mutable_load, METH_O | METH_CLASS, NULL},
    {"_query", mutable_query, METH_O, NULL},
    {"add", mutable_add, METH_O, "add(key)\n--\n\nAdds a key."},
    {"update", mutable_update, METH_O,
     "update(keys)\n--\n\nAdds the items of an iterable, or the elements of an "
     "array in one call."},
    {"remove", mutable_erase, METH_O,
     "remove(key)\n--\n\nUndoes one add() of a key that was added and not yet "
     "removed; removing another one may\nhide a key.  KeyError: it is "
     "certainly "
     "absent.  NotSupportedError: not this kind."},
    {"rotate", mutable_rotate, METH_NOARGS,
     "rotate()\n--\n\nStarts a new generation and drops the oldest with its "
     "keys."},
    {"save", mutable_save, METH_NOARGS,
     "save()\n--\n\nReturns the filter as bytes."},
    {"_describe", mutable_describe, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_new, mutable_new},
                              {Py_tp_dealloc, mutable_dealloc},
                              {Py_tp_methods, methods},
                              {Py_sq_contains, mutable_contains},
                              {Py_bf_getbuffer, mutable_getbuffer},
                              {0, NULL}};

static PyType_Spec spec = {"tamis._tamis.Mutable", sizeof(mutable_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

int add_mutable_types(PyObject* module) {
  return add_type(module, "Mutable", &spec, NULL);
}
