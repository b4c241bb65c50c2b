/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "module.h"

static int refuse_key(PyObject* object) {
  if (PyLong_Check(object)) {
    PyErr_SetString(
        PyExc_TypeError,
        "a key must be bytes or str: which bytes an int has must be "
        "said, as n.to_bytes(8, 'little'), which are those of an "
        "array of 64-bit integers");
  } else {
    PyErr_SetString(PyExc_TypeError,
                    "a key must be bytes, a buffer of bytes, or str");
  }
  return 0;
}

int open_key(PyObject* object, struct key* key) {
  char* bytes;
  Py_ssize_t length;
  key->view.obj = NULL;
  if (PyBytes_Check(object)) {
    if (PyBytes_AsStringAndSize(object, &bytes, &length) != 0) return 0;
    key->bytes = bytes;
  } else if (PyUnicode_Check(object)) {
    key->bytes = PyUnicode_AsUTF8AndSize(object, &length);
    if (key->bytes == NULL) return 0;
  } else {
    if (!PyObject_CheckBuffer(object)) return refuse_key(object);
    if (PyObject_GetBuffer(object, &key->view, PyBUF_SIMPLE) != 0) return 0;
    key->bytes = key->view.buf;
    length = key->view.len;
  }
  key->length = (size_t)length;
  return 1;
}

int open_key_or_none(PyObject* object, struct key* key) {
  if (object != NULL && object != Py_None) return open_key(object, key);
  key->bytes = NULL;
  key->length = 0;
  key->view.obj = NULL;
  return 1;
}

void close_key(struct key* key) {
  if (key->view.obj != NULL) PyBuffer_Release(&key->view);
}

/* ---- Many keys. */

/* Makes space for the pointers and lengths of keys->count keys. */
static int reserve(struct keys* keys) {
  const size_t count = keys->count > 0 ? keys->count : 1;
  keys->pointers = PyMem_Malloc(count * sizeof *keys->pointers);
  keys->lengths = PyMem_Malloc(count * sizeof *keys->lengths);
  if (keys->pointers != NULL && keys->lengths != NULL) return 1;
  PyErr_NoMemory();
  return 0;
}

static int take_items(PyObject* object, struct keys* keys) {
  Py_ssize_t i, count;
  keys->items = PySequence_List(object);
  if (keys->items == NULL) return 0;
  count = PyList_Size(keys->items);
  keys->count = (size_t)count;
  if (!reserve(keys)) return 0;
  for (i = 0; i < count; ++i) {
    PyObject* item = PyList_GetItem(keys->items, i);
    struct key key;
    if (!PyBytes_Check(item) && !PyUnicode_Check(item)) {
      /* Something with a buffer, which must not go away or change. */
      PyObject* copy;
      if (!PyObject_CheckBuffer(item)) return refuse_key(item);
      copy = PyBytes_FromObject(item);
      if (copy == NULL) return 0;
      /* The list is ours alone and takes the copy over. */
      if (PyList_SetItem(keys->items, i, copy) != 0) return 0;
      item = copy;
    }
    if (!open_key(item, &key)) return 0;
    keys->pointers[i] = key.bytes;
    keys->lengths[i] = key.length;
  }
  return 1;
}

/* Text of NumPy has a fixed length; the NULs at its end do not belong to it. */
void take_text_piece(const struct keys* keys, size_t first,
                     struct text_piece* piece) {
  const size_t most = sizeof piece->lengths / sizeof *piece->lengths;
  const size_t left = keys->count - first;
  size_t i;
  piece->count = left < most ? left : most;
  for (i = 0; i < piece->count; ++i) {
    const char* text = keys->fixed + (first + i) * keys->stride;
    size_t length = keys->width;
    while (length > 0 && text[length - 1] == '\0') --length;
    piece->pointers[i] = text;
    piece->lengths[i] = length;
  }
}

static int take_array(PyObject* object, struct keys* keys) {
  const char* format;
  if (PyObject_GetBuffer(object, &keys->view, PyBUF_RECORDS_RO) != 0) return 0;
  format = keys->view.format != NULL ? keys->view.format : "B";
  if (keys->view.ndim != 1) {
    PyErr_SetString(PyExc_ValueError,
                    "an array of keys must have one dimension");
    return 0;
  }
  keys->count = (size_t)keys->view.shape[0];
  keys->width = (size_t)keys->view.itemsize;
  keys->fixed = keys->view.buf;
  if (keys->count > 1 && keys->view.strides[0] < 0) {
    PyErr_SetString(
        PyExc_ValueError,
        "the array goes backward through memory: pass a copy of it");
    return 0;
  }
  keys->stride = keys->count > 1 ? (size_t)keys->view.strides[0] : keys->width;
  while (*format >= '0' && *format <= '9') ++format;
  if (*format == '<' || *format == '=' || *format == '@') ++format;
  if (format[0] != '\0' && format[1] == '\0') {
    keys->is_text = *format == 's';
    if (keys->is_text) return 1;
    if (strchr("bBhHiIlLqQnN", *format) != NULL) return 1;
  }
  PyErr_Format(PyExc_TypeError,
               "an array of keys must have integers in the order of this "
               "machine's bytes, or bytes ('S'), not elements of format '%s'",
               keys->view.format != NULL ? keys->view.format : "B");
  return 0;
}

int open_keys(PyObject* object, struct keys* keys) {
  int ok;
  memset(keys, 0, sizeof *keys);
  if (PyUnicode_Check(object) || PyBytes_Check(object) ||
      PyByteArray_Check(object)) {
    PyErr_SetString(PyExc_TypeError,
                    "expected many keys, as a list or an array, not one");
    return 0;
  }
  ok = PyObject_CheckBuffer(object) ? take_array(object, keys)
                                    : take_items(object, keys);
  if (!ok) close_keys(keys);
  return ok;
}

void close_keys(struct keys* keys) {
  PyMem_Free(keys->pointers);
  PyMem_Free(keys->lengths);
  Py_XDECREF(keys->items);
  if (keys->view.obj != NULL) PyBuffer_Release(&keys->view);
  memset(keys, 0, sizeof *keys);
}

/* ---- Options. */

/* Returns the text of a value as a new reference. */
static PyObject* text_of(PyObject* value) {
  if (value == Py_True) return PyUnicode_FromString("true");
  if (value == Py_False) return PyUnicode_FromString("false");
  if (PyBytes_Check(value)) return Py_NewRef(value);
  return PyObject_Str(value);
}

int open_options(PyObject* dict, tamis_options** options) {
  PyObject *name, *value;
  Py_ssize_t at = 0;
  int ok = 1;
  *options = NULL;
  if (dict == NULL || dict == Py_None) return 1;
  if (!PyDict_Check(dict)) {
    PyErr_SetString(PyExc_TypeError, "options must be a dict");
    return 0;
  }
  *options = tamis_options_create();
  if (*options == NULL) {
    PyErr_NoMemory();
    return 0;
  }
  while (ok && PyDict_Next(dict, &at, &name, &value)) {
    PyObject* text;
    struct key name_key, text_key;
    char* message;
    if (value == Py_None) continue;
    text = text_of(value);
    if (text == NULL) {
      ok = 0;
    } else if (!open_key(text, &text_key)) {
      ok = 0;
    } else {
      ok = PyUnicode_Check(name) && open_key(name, &name_key);
      if (!ok && !PyErr_Occurred()) {
        PyErr_SetString(PyExc_TypeError, "names of options must be str");
      }
      if (ok) {
        const int code =
            tamis_options_set(*options, name_key.bytes, text_key.bytes,
                              text_key.length, &message);
        ok = is_ok(code, message);
      }
      close_key(&text_key);
    }
    Py_XDECREF(text);
  }
  if (ok) return 1;
  tamis_options_destroy(*options);
  *options = NULL;
  return 0;
}
