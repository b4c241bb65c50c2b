/* SPDX-License-Identifier: Apache-2.0 */
/* store.c -- Store, Batch, Snapshot and Iterator, as plain as those of
 * tamis/c.h;
 * ../tamis/store.py makes of them what people use.
 *
 * Every call that may read or write lets other threads of Python run.  A store
 * that is closed while another thread is in a call stays open until that call
 * ends: `users` counts them. */
#include <pthread.h>

#include "module.h"

/* ---- Snapshot. */

typedef struct {
  PyObject_HEAD tamis_snapshot* snapshot;
} snapshot_object;

static PyObject *snapshot_type, *iterator_type, *batch_type;

/* Of an object that one thread at a time may use. */
static void lock_object(pthread_mutex_t* lock) {
  if (pthread_mutex_trylock(lock) == 0) return;
  Py_BEGIN_ALLOW_THREADS pthread_mutex_lock(lock);
  Py_END_ALLOW_THREADS
}

static void snapshot_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  tamis_snapshot_destroy(((snapshot_object*)object)->snapshot);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

static PyObject* snapshot_close(PyObject* object, PyObject* unused) {
  snapshot_object* self = (snapshot_object*)object;
  (void)unused;
  tamis_snapshot_destroy(self->snapshot);
  self->snapshot = NULL;
  Py_RETURN_NONE;
}

static PyMethodDef snapshot_methods[] = {
    {"close", snapshot_close, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
static PyType_Slot snapshot_slots[] = {{Py_tp_dealloc, snapshot_dealloc},
                                       {Py_tp_methods, snapshot_methods},
                                       {0, NULL}};
static PyType_Spec snapshot_spec = {
    "tamis._tamis.Snapshot", sizeof(snapshot_object), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE |
        Py_TPFLAGS_DISALLOW_INSTANTIATION,
    snapshot_slots};

/* ---- Batch: while one thread writes it, others may want to change it. */

typedef struct {
  PyObject_HEAD tamis_batch* batch;
  pthread_mutex_t lock;
} batch_object;

static PyObject* batch_new(PyTypeObject* type, PyObject* arguments,
                           PyObject* names) {
  batch_object* self = (batch_object*)PyType_GenericAlloc(type, 0);
  (void)arguments;
  (void)names;
  if (self == NULL) return NULL;
  pthread_mutex_init(&self->lock, NULL);
  self->batch = tamis_batch_create();
  if (self->batch == NULL) {
    Py_DECREF(self);
    return PyErr_NoMemory();
  }
  return (PyObject*)self;
}

static void batch_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  tamis_batch_destroy(((batch_object*)object)->batch);
  pthread_mutex_destroy(&((batch_object*)object)->lock);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

static PyObject* batch_put(PyObject* object, PyObject* arguments) {
  batch_object* self = (batch_object*)object;
  PyObject *key_object, *value_object;
  struct key key, value;
  char* message;
  int code;
  if (!PyArg_ParseTuple(arguments, "OO", &key_object, &value_object) ||
      !open_key(key_object, &key)) {
    return NULL;
  }
  if (!open_key(value_object, &value)) {
    close_key(&key);
    return NULL;
  }
  lock_object(&self->lock);
  code = tamis_batch_put(self->batch, key.bytes, key.length, value.bytes,
                         value.length, &message);
  pthread_mutex_unlock(&self->lock);
  close_key(&key);
  close_key(&value);
  if (!is_ok(code, message)) return NULL;
  Py_RETURN_NONE;
}

static PyObject* batch_delete(PyObject* object, PyObject* key_object) {
  batch_object* self = (batch_object*)object;
  struct key key;
  char* message;
  int code;
  if (!open_key(key_object, &key)) return NULL;
  lock_object(&self->lock);
  code = tamis_batch_delete(self->batch, key.bytes, key.length, &message);
  pthread_mutex_unlock(&self->lock);
  close_key(&key);
  if (!is_ok(code, message)) return NULL;
  Py_RETURN_NONE;
}

static PyObject* batch_clear(PyObject* object, PyObject* unused) {
  batch_object* self = (batch_object*)object;
  (void)unused;
  lock_object(&self->lock);
  tamis_batch_clear(self->batch);
  pthread_mutex_unlock(&self->lock);
  Py_RETURN_NONE;
}

static Py_ssize_t batch_length(PyObject* object) {
  batch_object* self = (batch_object*)object;
  Py_ssize_t length;
  lock_object(&self->lock);
  length = (Py_ssize_t)tamis_batch_count(self->batch);
  pthread_mutex_unlock(&self->lock);
  return length;
}

static PyMethodDef batch_methods[] = {{"put", batch_put, METH_VARARGS, NULL},
                                      {"delete", batch_delete, METH_O, NULL},
                                      {"clear", batch_clear, METH_NOARGS, NULL},
                                      {NULL, NULL, 0, NULL}};
static PyType_Slot batch_slots[] = {{Py_tp_new, batch_new},
                                    {Py_tp_dealloc, batch_dealloc},
                                    {Py_tp_methods, batch_methods},
                                    {Py_sq_length, batch_length},
                                    {0, NULL}};
static PyType_Spec batch_spec = {"tamis._tamis.Batch", sizeof(batch_object), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                                 batch_slots};

/* ---- Iterator: one thread at a time, so it has a lock. */

typedef struct {
  PyObject_HEAD tamis_iterator* iterator;
  pthread_mutex_t lock;
} iterator_object;

static void iterator_dealloc(PyObject* object) {
  iterator_object* self = (iterator_object*)object;
  PyTypeObject* type = Py_TYPE(object);
  tamis_iterator_destroy(self->iterator);
  pthread_mutex_destroy(&self->lock);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

static PyObject* iterator_close(PyObject* object, PyObject* unused) {
  iterator_object* self = (iterator_object*)object;
  (void)unused;
  lock_object(&self->lock);
  tamis_iterator_destroy(self->iterator);
  self->iterator = NULL;
  pthread_mutex_unlock(&self->lock);
  Py_RETURN_NONE;
}

/* Moves, and returns (key, value), or None at the end. */
static PyObject* iterator_move(iterator_object* self, int how,
                               const struct key* key) {
  PyObject* result = NULL;
  char* message = NULL;
  int code = TAMIS_OK, valid = 0;
  lock_object(&self->lock);
  if (self->iterator == NULL) {
    pthread_mutex_unlock(&self->lock);
    PyErr_SetString(PyExc_ValueError, "the iterator is closed");
    return NULL;
  }
  Py_BEGIN_ALLOW_THREADS switch (how) {
    case 'f':
      tamis_iterator_seek_to_first(self->iterator);
      break;
    case 'l':
      tamis_iterator_seek_to_last(self->iterator);
      break;
    case 's':
      tamis_iterator_seek(self->iterator, key->bytes, key->length);
      break;
    case 'b':
      tamis_iterator_seek_for_prev(self->iterator, key->bytes, key->length);
      break;
    case 'n':
      tamis_iterator_next(self->iterator);
      break;
    default:
      tamis_iterator_prev(self->iterator);
      break;
  }
  valid = tamis_iterator_valid(self->iterator);
  if (!valid) code = tamis_iterator_status(self->iterator, &message);
  Py_END_ALLOW_THREADS if (valid) {
    size_t key_length, value_length;
    const char* k = tamis_iterator_key(self->iterator, &key_length);
    const char* v = tamis_iterator_value(self->iterator, &value_length);
    result = Py_BuildValue("(y#y#)", k, (Py_ssize_t)key_length, v,
                           (Py_ssize_t)value_length);
  }
  else if (is_ok(code, message)) {
    result = Py_NewRef(Py_None);
  }
  pthread_mutex_unlock(&self->lock);
  return result;
}

static PyObject* iterator_first(PyObject* object, PyObject* unused) {
  (void)unused;
  return iterator_move((iterator_object*)object, 'f', NULL);
}
static PyObject* iterator_last(PyObject* object, PyObject* unused) {
  (void)unused;
  return iterator_move((iterator_object*)object, 'l', NULL);
}
static PyObject* iterator_next(PyObject* object, PyObject* unused) {
  (void)unused;
  return iterator_move((iterator_object*)object, 'n', NULL);
}
static PyObject* iterator_prev(PyObject* object, PyObject* unused) {
  (void)unused;
  return iterator_move((iterator_object*)object, 'p', NULL);
}

static PyObject* iterator_seek_to(PyObject* object, PyObject* key_object,
                                  int how) {
  struct key key;
  PyObject* result;
  if (!open_key(key_object, &key)) return NULL;
  result = iterator_move((iterator_object*)object, how, &key);
  close_key(&key);
  return result;
}
static PyObject* iterator_seek(PyObject* object, PyObject* key) {
  return iterator_seek_to(object, key, 's');
}
static PyObject* iterator_seek_back(PyObject* object, PyObject* key) {
  return iterator_seek_to(object, key, 'b');
}

static PyMethodDef iterator_methods[] = {
    {"first", iterator_first, METH_NOARGS, NULL},
    {"last", iterator_last, METH_NOARGS, NULL},
    {"seek", iterator_seek, METH_O, NULL},
    {"seek_for_prev", iterator_seek_back, METH_O, NULL},
    {"next", iterator_next, METH_NOARGS, NULL},
    {"prev", iterator_prev, METH_NOARGS, NULL},
    {"close", iterator_close, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};
static PyType_Slot iterator_slots[] = {{Py_tp_dealloc, iterator_dealloc},
                                       {Py_tp_methods, iterator_methods},
                                       {0, NULL}};
static PyType_Spec iterator_spec = {
    "tamis._tamis.Iterator", sizeof(iterator_object), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE |
        Py_TPFLAGS_DISALLOW_INSTANTIATION,
    iterator_slots};

/* ---- Store. */

typedef struct {
  PyObject_HEAD tamis_store* store; /* null: closed */
  int users;      /* calls in progress, each in a thread of its own */
  int is_closing; /* the last of them closes it */
} store_object;

/* Returns the store for a call, which ends with leave(); null: it is closed. */
static tamis_store* enter(PyObject* object) {
  store_object* self = (store_object*)object;
  if (self->store == NULL || self->is_closing) {
    PyErr_SetString(PyExc_ValueError, "the store is closed");
    return NULL;
  }
  ++self->users;
  return self->store;
}

static void close_now(store_object* self) {
  tamis_store* store = self->store;
  self->store = NULL;
  Py_BEGIN_ALLOW_THREADS tamis_store_close(store);
  Py_END_ALLOW_THREADS
}

static void leave(PyObject* object) {
  store_object* self = (store_object*)object;
  if (--self->users == 0 && self->is_closing) close_now(self);
}

static PyObject* store_new(PyTypeObject* type, PyObject* arguments,
                           PyObject* names) {
  static char* keywords[] = {"path", "options", NULL};
  PyObject *path, *dict = NULL;
  tamis_options* options;
  tamis_store* store = NULL;
  store_object* self;
  char* message;
  int code;
  if (!PyArg_ParseTupleAndKeywords(arguments, names, "O&|O", keywords,
                                   PyUnicode_FSConverter, &path, &dict)) {
    return NULL;
  }
  if (!open_options(dict, &options)) {
    Py_DECREF(path);
    return NULL;
  }
  Py_BEGIN_ALLOW_THREADS code =
      tamis_store_open(PyBytes_AsString(path), options, &store, &message);
  Py_END_ALLOW_THREADS tamis_options_destroy(options);
  Py_DECREF(path);
  if (code != TAMIS_OK) return raise_error(code, message);
  self = (store_object*)PyType_GenericAlloc(type, 0);
  if (self == NULL) {
    tamis_store_close(store);
    return NULL;
  }
  self->store = store;
  return (PyObject*)self;
}

static void store_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (((store_object*)object)->store != NULL) close_now((store_object*)object);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

static PyObject* store_close(PyObject* object, PyObject* unused) {
  store_object* self = (store_object*)object;
  (void)unused;
  if (self->store != NULL) {
    self->is_closing = 1;
    if (self->users == 0) close_now(self);
  }
  Py_RETURN_NONE;
}

/* Prepares how to read; *read is null for the current state and no options. */
static int open_read(PyObject* dict, PyObject* snapshot, tamis_read** read) {
  const tamis_snapshot* of = NULL;
  tamis_options* options;
  char* message;
  int code;
  *read = NULL;
  if (snapshot != NULL && snapshot != Py_None) {
    if (!PyObject_TypeCheck(snapshot, (PyTypeObject*)snapshot_type)) {
      PyErr_SetString(PyExc_TypeError, "not a snapshot");
      return 0;
    }
    of = ((snapshot_object*)snapshot)->snapshot;
    if (of == NULL) {
      PyErr_SetString(PyExc_ValueError, "the snapshot is closed");
      return 0;
    }
  }
  if (of == NULL && (dict == NULL || dict == Py_None)) return 1;
  if (!open_options(dict, &options)) return 0;
  code = tamis_read_create(options, of, read, &message);
  tamis_options_destroy(options);
  return is_ok(code, message);
}

/* get(key, default=None, options=None, snapshot=None) */
static PyObject* store_get(PyObject* object, PyObject* arguments) {
  PyObject *key_object, *missing = Py_None, *dict = NULL, *snapshot = NULL;
  tamis_read* read;
  tamis_store* store;
  struct key key;
  char *value = NULL, *message;
  size_t length;
  int code;
  if (!PyArg_ParseTuple(arguments, "O|OOO", &key_object, &missing, &dict,
                        &snapshot) ||
      !open_read(dict, snapshot, &read)) {
    return NULL;
  }
  if (!open_key(key_object, &key)) {
    tamis_read_destroy(read);
    return NULL;
  }
  store = enter(object);
  if (store == NULL) {
    close_key(&key);
    tamis_read_destroy(read);
    return NULL;
  }
  Py_BEGIN_ALLOW_THREADS code = tamis_store_get(
      store, read, key.bytes, key.length, &value, &length, &message);
  Py_END_ALLOW_THREADS leave(object);
  close_key(&key);
  tamis_read_destroy(read);
  if (code == TAMIS_OK) return take_bytes(value, length);
  if (code != TAMIS_NOT_FOUND) return raise_error(code, message);
  tamis_free(message);
  return Py_NewRef(missing);
}

/* put(key, value, sync=False) */
static PyObject* store_put(PyObject* object, PyObject* arguments) {
  PyObject *key_object, *value_object;
  int sync = 0, code;
  tamis_store* store;
  struct key key, value;
  char* message;
  if (!PyArg_ParseTuple(arguments, "OO|p", &key_object, &value_object, &sync) ||
      !open_key(key_object, &key)) {
    return NULL;
  }
  if (!open_key(value_object, &value)) {
    close_key(&key);
    return NULL;
  }
  store = enter(object);
  if (store == NULL) {
    close_key(&key);
    close_key(&value);
    return NULL;
  }
  Py_BEGIN_ALLOW_THREADS code = tamis_store_put(
      store, key.bytes, key.length, value.bytes, value.length, sync, &message);
  Py_END_ALLOW_THREADS leave(object);
  close_key(&key);
  close_key(&value);
  if (!is_ok(code, message)) return NULL;
  Py_RETURN_NONE;
}

/* delete(key, sync=False) */
static PyObject* store_delete(PyObject* object, PyObject* arguments) {
  PyObject* key_object;
  int sync = 0, code;
  tamis_store* store;
  struct key key;
  char* message;
  if (!PyArg_ParseTuple(arguments, "O|p", &key_object, &sync) ||
      !open_key(key_object, &key)) {
    return NULL;
  }
  store = enter(object);
  if (store == NULL) {
    close_key(&key);
    return NULL;
  }
  Py_BEGIN_ALLOW_THREADS code =
      tamis_store_delete(store, key.bytes, key.length, sync, &message);
  Py_END_ALLOW_THREADS leave(object);
  close_key(&key);
  if (!is_ok(code, message)) return NULL;
  Py_RETURN_NONE;
}

/* write(batch, sync=False) */
static PyObject* store_write(PyObject* object, PyObject* arguments) {
  PyObject* batch;
  pthread_mutex_t* lock;
  int sync = 0, code;
  tamis_store* store;
  char* message;
  if (!PyArg_ParseTuple(arguments, "O|p", &batch, &sync)) return NULL;
  if (!PyObject_TypeCheck(batch, (PyTypeObject*)batch_type)) {
    PyErr_SetString(PyExc_TypeError, "not a batch");
    return NULL;
  }
  store = enter(object);
  if (store == NULL) return NULL;
  lock = &((batch_object*)batch)->lock;
  lock_object(lock);
  Py_BEGIN_ALLOW_THREADS code =
      tamis_store_write(store, ((batch_object*)batch)->batch, sync, &message);
  Py_END_ALLOW_THREADS pthread_mutex_unlock(lock);
  leave(object);
  if (!is_ok(code, message)) return NULL;
  Py_RETURN_NONE;
}

static PyObject* store_multi_get(PyObject* object, PyObject* arguments) {
  PyObject *many, *snapshot = NULL, *result = NULL;
  struct keys keys;
  tamis_read* read = NULL;
  tamis_store* store;
  char** values;
  size_t *lengths, i;
  int *codes, code;
  char* message;
  if (!PyArg_ParseTuple(arguments, "O|O", &many, &snapshot)) return NULL;
  if (!open_keys(many, &keys)) return NULL;
  if (keys.pointers == NULL) {
    close_keys(&keys);
    PyErr_SetString(PyExc_TypeError, "expected an iterable of keys");
    return NULL;
  }
  values = PyMem_Calloc(keys.count + 1, sizeof *values);
  lengths = PyMem_Calloc(keys.count + 1, sizeof *lengths);
  codes = PyMem_Calloc(keys.count + 1, sizeof *codes);
  if (values == NULL || lengths == NULL || codes == NULL) {
    PyErr_NoMemory();
  } else if (open_read(NULL, snapshot, &read) &&
             (store = enter(object)) != NULL) {
    Py_BEGIN_ALLOW_THREADS code =
        tamis_store_multi_get(store, read, keys.pointers, keys.lengths,
                              keys.count, values, lengths, codes, &message);
    Py_END_ALLOW_THREADS leave(object);
    if (is_ok(code, message)) result = PyList_New((Py_ssize_t)keys.count);
    for (i = 0; i < keys.count; ++i) {
      PyObject* value =
          result == NULL ? NULL
          : values[i] != NULL
              ? PyBytes_FromStringAndSize(values[i], (Py_ssize_t)lengths[i])
              : Py_NewRef(Py_None);
      tamis_free(values[i]);
      if (result != NULL && value == NULL) Py_CLEAR(result);
      if (value != NULL) PyList_SetItem(result, (Py_ssize_t)i, value);
    }
  }
  tamis_read_destroy(read);
  PyMem_Free(values);
  PyMem_Free(lengths);
  PyMem_Free(codes);
  close_keys(&keys);
  return result;
}

/* iterator(options=None, snapshot=None) */
static PyObject* store_iterator(PyObject* object, PyObject* arguments) {
  PyObject *dict = NULL, *snapshot = NULL;
  tamis_read* read;
  tamis_store* store;
  tamis_iterator* iterator = NULL;
  iterator_object* result;
  char* message = NULL;
  int code;
  if (!PyArg_ParseTuple(arguments, "|OO", &dict, &snapshot) ||
      !open_read(dict, snapshot, &read)) {
    return NULL;
  }
  store = enter(object);
  if (store == NULL) {
    tamis_read_destroy(read);
    return NULL;
  }
  Py_BEGIN_ALLOW_THREADS code =
      tamis_iterator_create(store, read, &iterator, &message);
  Py_END_ALLOW_THREADS leave(object);
  tamis_read_destroy(read);
  if (code != TAMIS_OK) return raise_error(code, message);
  result =
      (iterator_object*)PyType_GenericAlloc((PyTypeObject*)iterator_type, 0);
  if (result == NULL) {
    tamis_iterator_destroy(iterator);
    return NULL;
  }
  result->iterator = iterator;
  pthread_mutex_init(&result->lock, NULL);
  return (PyObject*)result;
}

static PyObject* store_snapshot(PyObject* object, PyObject* unused) {
  tamis_store* store = enter(object);
  tamis_snapshot* snapshot = NULL;
  snapshot_object* result;
  char* message;
  int code;
  (void)unused;
  if (store == NULL) return NULL;
  code = tamis_snapshot_create(store, &snapshot, &message);
  leave(object);
  if (code != TAMIS_OK) return raise_error(code, message);
  result =
      (snapshot_object*)PyType_GenericAlloc((PyTypeObject*)snapshot_type, 0);
  if (result == NULL) {
    tamis_snapshot_destroy(snapshot);
    return NULL;
  }
  result->snapshot = snapshot;
  return (PyObject*)result;
}

static PyObject* do_simply(PyObject* object,
                           int (*action)(tamis_store*, char**)) {
  tamis_store* store = enter(object);
  char* message;
  int code;
  if (store == NULL) return NULL;
  Py_BEGIN_ALLOW_THREADS code = action(store, &message);
  Py_END_ALLOW_THREADS leave(object);
  if (!is_ok(code, message)) return NULL;
  Py_RETURN_NONE;
}

static PyObject* store_flush(PyObject* object, PyObject* unused) {
  (void)unused;
  return do_simply(object, tamis_store_flush);
}

static PyObject* store_wait(PyObject* object, PyObject* unused) {
  (void)unused;
  return do_simply(object, tamis_store_wait_for_quiet);
}

/* Both ends of a range; None: from the first key, to the last. */
static int open_ends(PyObject* arguments, struct key* from, struct key* to) {
  PyObject *start = Py_None, *stop = Py_None;
  if (!PyArg_ParseTuple(arguments, "|OO", &start, &stop) ||
      !open_key_or_none(start, from)) {
    return 0;
  }
  if (open_key_or_none(stop, to)) return 1;
  close_key(from);
  return 0;
}

static PyObject* store_compact(PyObject* object, PyObject* arguments) {
  struct key from, to;
  tamis_store* store;
  char* message = NULL;
  int code = TAMIS_OK;
  if (!open_ends(arguments, &from, &to)) return NULL;
  store = enter(object);
  if (store != NULL) {
    Py_BEGIN_ALLOW_THREADS code = tamis_store_compact(
        store, from.bytes, from.length, to.bytes, to.length, &message);
    Py_END_ALLOW_THREADS leave(object);
  }
  close_key(&from);
  close_key(&to);
  if (store == NULL || !is_ok(code, message)) return NULL;
  Py_RETURN_NONE;
}

static PyObject* store_size(PyObject* object, PyObject* arguments) {
  struct key from, to;
  tamis_store* store;
  uint64_t size = 0;
  char* message = NULL;
  int code = TAMIS_OK;
  if (!open_ends(arguments, &from, &to)) return NULL;
  store = enter(object);
  if (store != NULL) {
    Py_BEGIN_ALLOW_THREADS code =
        tamis_store_sizes(store, &from.bytes, &from.length, &to.bytes,
                          &to.length, 1, &size, &message);
    Py_END_ALLOW_THREADS leave(object);
  }
  close_key(&from);
  close_key(&to);
  if (store == NULL || !is_ok(code, message)) return NULL;
  return PyLong_FromUnsignedLongLong(size);
}

static PyObject* store_set_filter_memory(PyObject* object, PyObject* bytes) {
  unsigned long long limit = UINT64_MAX;
  tamis_store* store;
  char* message;
  int code;
  if (bytes != Py_None) {
    limit = PyLong_AsUnsignedLongLong(bytes);
    if (PyErr_Occurred()) return NULL;
  }
  store = enter(object);
  if (store == NULL) return NULL;
  Py_BEGIN_ALLOW_THREADS code =
      tamis_store_set_filter_memory(store, limit, &message);
  Py_END_ALLOW_THREADS leave(object);
  if (!is_ok(code, message)) return NULL;
  Py_RETURN_NONE;
}

static PyObject* store_property(PyObject* object, PyObject* name) {
  struct key text;
  tamis_store* store;
  char *value, *message;
  size_t length;
  int code;
  if (!PyUnicode_Check(name)) {
    PyErr_SetString(PyExc_TypeError, "the name of a property must be str");
    return NULL;
  }
  if (!open_key(name, &text)) return NULL;
  store = enter(object);
  if (store == NULL) return NULL;
  Py_BEGIN_ALLOW_THREADS code =
      tamis_store_property(store, text.bytes, &value, &length, &message);
  Py_END_ALLOW_THREADS leave(object);
  if (code == TAMIS_OK) return take_text(value, length);
  if (code != TAMIS_NOT_FOUND) return raise_error(code, message);
  tamis_free(message);
  Py_RETURN_NONE;
}

static PyMethodDef store_methods[] = {
    {"get", store_get, METH_VARARGS, NULL},
    {"put", store_put, METH_VARARGS, NULL},
    {"delete", store_delete, METH_VARARGS, NULL},
    {"write", store_write, METH_VARARGS, NULL},
    {"multi_get", store_multi_get, METH_VARARGS, NULL},
    {"iterator", store_iterator, METH_VARARGS, NULL},
    {"snapshot", store_snapshot, METH_NOARGS, NULL},
    {"flush", store_flush, METH_NOARGS, NULL},
    {"wait_for_quiet", store_wait, METH_NOARGS, NULL},
    {"compact", store_compact, METH_VARARGS, NULL},
    {"approximate_size", store_size, METH_VARARGS, NULL},
    {"set_filter_memory", store_set_filter_memory, METH_O, NULL},
    {"property", store_property, METH_O, NULL},
    {"close", store_close, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};
static PyType_Slot store_slots[] = {{Py_tp_new, store_new},
                                    {Py_tp_dealloc, store_dealloc},
                                    {Py_tp_methods, store_methods},
                                    {0, NULL}};
static PyType_Spec store_spec = {"tamis._tamis.Store", sizeof(store_object), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                                 store_slots};

/* ---- Directories. */

/* Parses (path, options[, flag]). */
static int open_directory(PyObject* arguments, PyObject** path,
                          tamis_options** options, int* flag) {
  PyObject* dict = NULL;
  if (!PyArg_ParseTuple(arguments, "O&|Op", PyUnicode_FSConverter, path, &dict,
                        flag)) {
    return 0;
  }
  if (open_options(dict, options)) return 1;
  Py_DECREF(*path);
  return 0;
}

static PyObject* repair(PyObject* module, PyObject* arguments) {
  PyObject* path;
  tamis_options* options;
  int dry_run = 0, code;
  char *report, *message;
  size_t length;
  (void)module;
  if (!open_directory(arguments, &path, &options, &dry_run)) return NULL;
  Py_BEGIN_ALLOW_THREADS code = tamis_repair_store(
      PyBytes_AsString(path), options, dry_run, &report, &length, &message);
  Py_END_ALLOW_THREADS tamis_options_destroy(options);
  Py_DECREF(path);
  return code == TAMIS_OK ? take_text(report, length)
                          : raise_error(code, message);
}

static PyObject* check(PyObject* module, PyObject* arguments) {
  PyObject* path;
  tamis_options* options;
  int unused = 0, code;
  char *report, *message;
  size_t length;
  (void)module;
  if (!open_directory(arguments, &path, &options, &unused)) return NULL;
  Py_BEGIN_ALLOW_THREADS code = tamis_check_store(
      PyBytes_AsString(path), options, &report, &length, &message);
  Py_END_ALLOW_THREADS tamis_options_destroy(options);
  Py_DECREF(path);
  return code == TAMIS_OK ? take_text(report, length)
                          : raise_error(code, message);
}

static PyObject* destroy(PyObject* module, PyObject* arguments) {
  PyObject* path;
  tamis_options* options;
  int unused = 0, code;
  char* message;
  (void)module;
  if (!open_directory(arguments, &path, &options, &unused)) return NULL;
  Py_BEGIN_ALLOW_THREADS code =
      tamis_destroy_store(PyBytes_AsString(path), options, &message);
  Py_END_ALLOW_THREADS tamis_options_destroy(options);
  Py_DECREF(path);
  if (!is_ok(code, message)) return NULL;
  Py_RETURN_NONE;
}

static PyMethodDef functions[] = {{"repair", repair, METH_VARARGS, NULL},
                                  {"check", check, METH_VARARGS, NULL},
                                  {"destroy", destroy, METH_VARARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

int add_store_types(PyObject* module) {
  return add_type(module, "Snapshot", &snapshot_spec, &snapshot_type) &&
         add_type(module, "Batch", &batch_spec, &batch_type) &&
         add_type(module, "Iterator", &iterator_spec, &iterator_type) &&
         add_type(module, "Store", &store_spec, NULL) &&
         PyModule_AddFunctions(module, functions) == 0;
}
