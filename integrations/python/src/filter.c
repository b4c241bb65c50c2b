/* SPDX-License-Identifier: Apache-2.0 */
/* filter.c -- Filter and Builder, and what is done with filters as bytes. */
#include <string.h>

#include "module.h"

/* ---- What mutable filters share. */

static void ask_text(const tamis_filter* filter, const struct keys* keys,
                     unsigned char* answers) {
  struct text_piece piece;
  size_t first;
  for (first = 0; first < keys->count; first += piece.count) {
    take_text_piece(keys, first, &piece);
    tamis_filter_may_contain_many(filter, piece.pointers, piece.lengths,
                                  piece.count, answers + first);
  }
}

PyObject* ask_filter(const tamis_filter* filter, const struct keys* keys) {
  PyObject* result = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)keys->count);
  unsigned char* answers;
  if (result == NULL) return NULL;
  answers = (unsigned char*)PyBytes_AsString(result);
  Py_BEGIN_ALLOW_THREADS if (keys->pointers != NULL) {
    tamis_filter_may_contain_many(filter, keys->pointers, keys->lengths,
                                  keys->count, answers);
  }
  else if (keys->is_text) {
    ask_text(filter, keys, answers);
  }
  else {
    tamis_filter_may_contain_fixed(filter, keys->fixed, keys->width,
                                   keys->stride, keys->count, answers);
  }
  Py_END_ALLOW_THREADS return result;
}

PyObject* describe_filter(const tamis_filter* filter) {
  char *json, *message;
  size_t length;
  int code;
  Py_BEGIN_ALLOW_THREADS code =
      tamis_filter_describe(filter, &json, &length, &message);
  Py_END_ALLOW_THREADS return code == TAMIS_OK ? take_text(json, length)
                                               : raise_error(code, message);
}

/* ---- Filter. */

typedef struct {
  PyObject_HEAD tamis_filter* filter;
  Py_buffer source; /* its obj is null unless the filter is in its memory */
} filter_object;

static PyObject* new_filter(PyTypeObject* type, tamis_filter* filter) {
  filter_object* self = (filter_object*)PyType_GenericAlloc(type, 0);
  if (self == NULL) {
    tamis_filter_destroy(filter);
    return NULL;
  }
  self->filter = filter;
  return (PyObject*)self;
}

static void filter_dealloc(PyObject* object) {
  filter_object* self = (filter_object*)object;
  PyTypeObject* type = Py_TYPE(object);
  tamis_filter_destroy(self->filter);
  if (self->source.obj != NULL) PyBuffer_Release(&self->source);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

static PyObject* filter_new(PyTypeObject* type, PyObject* arguments,
                            PyObject* names) {
  static char* keywords[] = {"data", "policy", "copy", NULL};
  PyObject* data;
  const char* spec = NULL;
  int copy = 1, code = TAMIS_OK;
  Py_buffer view;
  tamis_policy* policy = NULL;
  tamis_filter* filter = NULL;
  char* message = NULL;
  PyObject* result;
  if (!PyArg_ParseTupleAndKeywords(arguments, names, "O|zp", keywords, &data,
                                   &spec, &copy)) {
    return NULL;
  }
  if (PyObject_GetBuffer(data, &view, PyBUF_SIMPLE) != 0) return NULL;
  if (spec != NULL) code = tamis_policy_create(spec, &policy, &message);
  if (code == TAMIS_OK) {
    Py_BEGIN_ALLOW_THREADS code =
        copy ? tamis_filter_open(policy, view.buf, (size_t)view.len, &filter,
                                 &message)
             : tamis_filter_open_in_place(policy, view.buf, (size_t)view.len,
                                          &filter, &message);
    Py_END_ALLOW_THREADS
  }
  tamis_policy_destroy(policy);
  result =
      code == TAMIS_OK ? new_filter(type, filter) : raise_error(code, message);
  if (result != NULL && !copy) {
    ((filter_object*)result)->source = view;
  } else {
    PyBuffer_Release(&view);
  }
  return result;
}

static PyObject* filter_open(PyObject* type, PyObject* arguments,
                             PyObject* names) {
  static char* keywords[] = {"path", "policy", "access", NULL};
  PyObject* path;
  const char *format = NULL, *access = NULL;
  tamis_options* options = tamis_options_create();
  tamis_filter* filter = NULL;
  char* message = NULL;
  int code = TAMIS_OK;
  if (options == NULL) return PyErr_NoMemory();
  if (!PyArg_ParseTupleAndKeywords(arguments, names, "O&|zz", keywords,
                                   PyUnicode_FSConverter, &path, &format,
                                   &access)) {
    tamis_options_destroy(options);
    return NULL;
  }
  if (format != NULL) {
    code =
        tamis_options_set(options, "format", format, strlen(format), &message);
  }
  if (code == TAMIS_OK && access != NULL) {
    code =
        tamis_options_set(options, "access", access, strlen(access), &message);
  }
  if (code == TAMIS_OK) {
    Py_BEGIN_ALLOW_THREADS code = tamis_filter_open_file(
        PyBytes_AsString(path), options, &filter, &message);
    Py_END_ALLOW_THREADS
  }
  tamis_options_destroy(options);
  Py_DECREF(path);
  return code == TAMIS_OK ? new_filter((PyTypeObject*)type, filter)
                          : raise_error(code, message);
}

static int filter_contains(PyObject* object, PyObject* item) {
  struct key key;
  int maybe;
  if (!open_key(item, &key)) return -1;
  maybe = tamis_filter_may_contain(((filter_object*)object)->filter, key.bytes,
                                   key.length);
  close_key(&key);
  return maybe;
}

static PyObject* filter_query(PyObject* object, PyObject* many) {
  struct keys keys;
  PyObject* answers;
  if (!open_keys(many, &keys)) return NULL;
  answers = ask_filter(((filter_object*)object)->filter, &keys);
  close_keys(&keys);
  return answers;
}

static PyObject* filter_may_contain_range(PyObject* object,
                                          PyObject* arguments) {
  PyObject *low, *high;
  struct key from, to;
  int maybe;
  if (!PyArg_ParseTuple(arguments, "OO", &low, &high)) return NULL;
  if (!open_key(low, &from)) return NULL;
  if (!open_key(high, &to)) {
    close_key(&from);
    return NULL;
  }
  maybe = tamis_filter_may_contain_range(((filter_object*)object)->filter,
                                         from.bytes, from.length, to.bytes,
                                         to.length);
  close_key(&from);
  close_key(&to);
  return PyBool_FromLong(maybe);
}

static PyObject* filter_describe_json(PyObject* object, PyObject* unused) {
  (void)unused;
  return describe_filter(((filter_object*)object)->filter);
}

static PyObject* filter_status(PyObject* object, PyObject* unused) {
  char* message;
  const int code =
      tamis_filter_status(((filter_object*)object)->filter, &message);
  (void)unused;
  if (!is_ok(code, message)) return NULL;
  Py_RETURN_NONE;
}

static int filter_getbuffer(PyObject* object, Py_buffer* view, int flags) {
  size_t length;
  const char* bytes =
      tamis_filter_bytes(((filter_object*)object)->filter, &length);
  return PyBuffer_FillInfo(view, object, (void*)(uintptr_t)bytes,
                           (Py_ssize_t)length, /*readonly=*/1, flags);
}

static PyMethodDef filter_methods[] = {
    {"_open", (PyCFunction)(void (*)(void))filter_open,
     METH_VARARGS | METH_KEYWORDS | METH_CLASS, NULL},
    {"_query", filter_query, METH_O, NULL},
    {"may_contain_range", filter_may_contain_range, METH_VARARGS,
     "may_contain_range(low, high)\n--\n\nFalse only if certainly no added key "
     "is in [low, high]; True for kinds that do not\nknow ranges."},
    {"_describe", filter_describe_json, METH_NOARGS, NULL},
    {"check", filter_status, METH_NOARGS,
     "check()\n--\n\nRaises OSError if a page of the mapped file was lost or "
     "has changed since it was\nopened."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot filter_slots[] = {{Py_tp_new, filter_new},
                                     {Py_tp_dealloc, filter_dealloc},
                                     {Py_tp_methods, filter_methods},
                                     {Py_sq_contains, filter_contains},
                                     {Py_bf_getbuffer, filter_getbuffer},
                                     {0, NULL}};

static PyType_Spec filter_spec = {"tamis._tamis.Filter", sizeof(filter_object),
                                  0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                  filter_slots};

/* ---- Builders: in one call, and over pieces. */

typedef struct {
  PyObject_HEAD tamis_builder* builder; /* null: finished */
  int busy;                             /* another thread is in a call */
} builder_object;

static PyObject* builder_new(PyTypeObject* type, PyObject* arguments,
                             PyObject* names) {
  static char* keywords[] = {"policy", "options", NULL};
  const char* spec;
  PyObject* dict = NULL;
  tamis_options* options;
  tamis_policy* policy = NULL;
  tamis_builder* builder = NULL;
  builder_object* self;
  char* message;
  int code;
  if (!PyArg_ParseTupleAndKeywords(arguments, names, "s|O", keywords, &spec,
                                   &dict) ||
      !open_options(dict, &options)) {
    return NULL;
  }
  code = tamis_policy_create(spec, &policy, &message);
  if (code == TAMIS_OK) {
    code = tamis_builder_create(policy, options, &builder, &message);
  }
  tamis_policy_destroy(policy);
  tamis_options_destroy(options);
  if (code != TAMIS_OK) return raise_error(code, message);
  self = (builder_object*)PyType_GenericAlloc(type, 0);
  if (self == NULL) {
    tamis_builder_destroy(builder);
    return NULL;
  }
  self->builder = builder;
  return (PyObject*)self;
}

static void builder_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  tamis_builder_destroy(((builder_object*)object)->builder);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

static int can_use(builder_object* self) {
  if (self->builder != NULL && !self->busy) return 1;
  PyErr_SetString(PyExc_ValueError,
                  self->busy ? "another thread uses this builder"
                             : "the builder has finished: make a new one");
  return 0;
}

static PyObject* builder_add(PyObject* object, PyObject* item) {
  builder_object* self = (builder_object*)object;
  struct key key;
  if (!can_use(self) || !open_key(item, &key)) return NULL;
  tamis_builder_add(self->builder, key.bytes, key.length);
  close_key(&key);
  Py_RETURN_NONE;
}

static void add_text(tamis_builder* builder, const struct keys* keys) {
  struct text_piece piece;
  size_t first;
  for (first = 0; first < keys->count; first += piece.count) {
    take_text_piece(keys, first, &piece);
    tamis_builder_add_many(builder, piece.pointers, piece.lengths, piece.count);
  }
}

static PyObject* builder_update(PyObject* object, PyObject* many) {
  builder_object* self = (builder_object*)object;
  struct keys keys;
  /* The keys first: an iterable may run any code. */
  if (!open_keys(many, &keys)) return NULL;
  if (!can_use(self)) {
    close_keys(&keys);
    return NULL;
  }
  self->busy = 1;
  Py_BEGIN_ALLOW_THREADS if (keys.pointers != NULL) {
    tamis_builder_add_many(self->builder, keys.pointers, keys.lengths,
                           keys.count);
  }
  else if (keys.is_text) {
    add_text(self->builder, &keys);
  }
  else {
    tamis_builder_add_fixed(self->builder, keys.fixed, keys.width, keys.stride,
                            keys.count);
  }
  Py_END_ALLOW_THREADS self->busy = 0;
  close_keys(&keys);
  Py_RETURN_NONE;
}

static PyObject* builder_finish(PyObject* object, PyObject* unused) {
  builder_object* self = (builder_object*)object;
  tamis_builder* builder = self->builder;
  char *bytes, *message;
  size_t length;
  int code;
  (void)unused;
  if (!can_use(self)) return NULL;
  self->builder = NULL;
  Py_BEGIN_ALLOW_THREADS code =
      tamis_builder_finish(builder, &bytes, &length, &message);
  tamis_builder_destroy(builder);
  Py_END_ALLOW_THREADS return code == TAMIS_OK ? take_bytes(bytes, length)
                                               : raise_error(code, message);
}

static PyMethodDef builder_methods[] = {
    {"add", builder_add, METH_O, "add(key)\n--\n\nAdds a key."},
    {"update", builder_update, METH_O,
     "update(keys)\n--\n\nAdds the items of an iterable, or the elements of an "
     "array in one call."},
    {"finish", builder_finish, METH_NOARGS,
     "finish()\n--\n\nReturns the filter's bytes.  The builder cannot be used "
     "any more."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot builder_slots[] = {
    {Py_tp_new, builder_new},
    {Py_tp_dealloc, builder_dealloc},
    {Py_tp_methods, builder_methods},
    {Py_tp_doc,
     "Builder(policy, options=None)\n--\n\nCollects keys for one filter.  "
     "Options: memory_bytes, temporary_folder, threads,\nrepeats, exact_keys."},
    {0, NULL}};

static PyType_Spec builder_spec = {
    "tamis.Builder", sizeof(builder_object), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, builder_slots};

/* ---- Filters as bytes. */

static PyObject* combine(PyObject* module, PyObject* arguments) {
  const char* spec;
  PyObject* many;
  int intersect, code;
  struct keys filters; /* not keys, but many bytes as well */
  tamis_policy* policy = NULL;
  char *bytes, *message;
  size_t length;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "sOp", &spec, &many, &intersect) ||
      !open_keys(many, &filters)) {
    return NULL;
  }
  code = tamis_policy_create(spec, &policy, &message);
  if (code == TAMIS_OK) {
    Py_BEGIN_ALLOW_THREADS code =
        tamis_combine(policy, filters.pointers, filters.lengths, filters.count,
                      intersect, &bytes, &length, &message);
    Py_END_ALLOW_THREADS
  }
  tamis_policy_destroy(policy);
  close_keys(&filters);
  return code == TAMIS_OK ? take_bytes(bytes, length)
                          : raise_error(code, message);
}

static PyObject* fold(PyObject* module, PyObject* arguments) {
  Py_buffer view;
  unsigned long long divisor;
  char *bytes, *message;
  size_t length;
  int code;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "y*K", &view, &divisor)) return NULL;
  Py_BEGIN_ALLOW_THREADS code = tamis_fold(view.buf, (size_t)view.len, divisor,
                                           &bytes, &length, &message);
  Py_END_ALLOW_THREADS PyBuffer_Release(&view);
  return code == TAMIS_OK ? take_bytes(bytes, length)
                          : raise_error(code, message);
}

static PyObject* predict(PyObject* module, PyObject* arguments) {
  const char* spec;
  unsigned long long keys;
  tamis_policy* policy = NULL;
  uint64_t bytes = 0;
  double rate = 1;
  char* message;
  int code;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "sK", &spec, &keys)) return NULL;
  code = tamis_policy_create(spec, &policy, &message);
  if (code == TAMIS_OK) {
    code = tamis_policy_predict(policy, keys, &bytes, &rate, &message);
  }
  tamis_policy_destroy(policy);
  if (!is_ok(code, message)) return NULL;
  return Py_BuildValue("Kd", (unsigned long long)bytes, rate);
}

static PyObject* write_file(PyObject* module, PyObject* arguments) {
  PyObject* path;
  Py_buffer view;
  int replace, code;
  char* message;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "O&y*p", PyUnicode_FSConverter, &path, &view,
                        &replace)) {
    return NULL;
  }
  Py_BEGIN_ALLOW_THREADS code = tamis_filter_write_file(
      PyBytes_AsString(path), view.buf, (size_t)view.len, replace, &message);
  Py_END_ALLOW_THREADS Py_DECREF(path);
  PyBuffer_Release(&view);
  if (!is_ok(code, message)) return NULL;
  Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"combine", combine, METH_VARARGS, NULL},
    {"fold", fold, METH_VARARGS, NULL},
    {"predict", predict, METH_VARARGS, NULL},
    {"write_file", write_file, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};

int add_filter_types(PyObject* module) {
  return add_type(module, "Filter", &filter_spec, NULL) &&
         add_type(module, "Builder", &builder_spec, NULL) &&
         PyModule_AddFunctions(module, functions) == 0;
}
