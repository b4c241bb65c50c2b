/* SPDX-License-Identifier: Apache-2.0 */
/* module.h -- what the files of the extension module share.
 *
 * The module uses nothing of Python but its limited API, and nothing of Tamis
 * but tamis/c.h: one binary serves every Python from 3.11 on, and every Tamis
 * that has these functions.  What can be written in Python is in ../tamis. */

#ifndef TAMIS_PYTHON_MODULE_H_
#define TAMIS_PYTHON_MODULE_H_

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <tamis/c.h>

/* ---- errors.c: exceptions of the module. */

int add_errors(PyObject* module);
/* Sets the exception of a code, frees the message, and returns null. */
PyObject* raise_error(int code, char* message);
/* The same unless the code is TAMIS_OK, for which it returns 1. */
int is_ok(int code, char* message);
/* Returns bytes that the library allocated, as a Python object, and frees
 * them. */
PyObject* take_bytes(char* bytes, size_t length);
PyObject* take_text(char* text, size_t length);

/* ---- keys.c: keys and options from Python objects. */

/* A key or a value: bytes, anything with a buffer of bytes, or str as UTF-8. */
struct key {
  const char* bytes;
  size_t length;
  Py_buffer view; /* its obj is null if the object is a str or bytes */
};
/* Returns 0 with an exception if the object is nothing such. */
int open_key(PyObject* object, struct key* key);
/* The same for None, whose bytes are null. */
int open_key_or_none(PyObject* object, struct key* key);
void close_key(struct key* key);

/* Many keys at once: the elements of an array, or the items of any iterable. */
struct keys {
  size_t count;
  /* Of an array: of integers, or of text that may end before its element. */
  const char* fixed;
  size_t width;
  size_t stride;
  int is_text;
  /* Of all others. */
  const char** pointers;
  size_t* lengths;
  Py_buffer view;
  PyObject* items; /* a list that owns what the pointers point to */
};
int open_keys(PyObject* object, struct keys* keys);
void close_keys(struct keys* keys);

/* Some keys of an array of text, which needs no interpreter's lock.  There are
 * as many at a time as the nearest cache has space for. */
struct text_piece {
  const char* pointers[512];
  size_t lengths[512];
  size_t count;
};
/* Takes the keys from the one of that number on. */
void take_text_piece(const struct keys* keys, size_t first,
                     struct text_piece* piece);

/* Options of a dict of str to str, int, bool, float, bytes or None (which is
 * left out). */
int open_options(PyObject* dict, tamis_options** options);

/* ---- The types. */

int add_filter_types(PyObject* module);  /* filter.c */
int add_mutable_types(PyObject* module); /* mutable.c */
int add_store_types(PyObject* module);   /* store.c */
int add_type(PyObject* module, const char* name, PyType_Spec* spec,
             PyObject** type);

/* Returns a bytes object with an answer for each key. */
PyObject* ask_filter(const tamis_filter* filter, const struct keys* keys);
PyObject* describe_filter(const tamis_filter* filter);

#endif
