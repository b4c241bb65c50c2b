/* SPDX-License-Identifier: Apache-2.0 */
#include "module.h"

static PyObject* error_type;      /* tamis.Error */
static PyObject* corruption_type; /* tamis.CorruptionError */
static PyObject* support_type;    /* tamis.NotSupportedError */
static PyObject* full_type;       /* tamis.FilterFullError */

static PyObject* new_error(const char* name, const char* doc, PyObject* base) {
  return PyErr_NewExceptionWithDoc(name, doc, base, NULL);
}

int add_errors(PyObject* module) {
  error_type = new_error("tamis.Error", "What Tamis could not do.", NULL);
  if (error_type == NULL) return 0;
  corruption_type =
      new_error("tamis.CorruptionError",
                "Bytes are not what they should be.  Read as if there were no "
                "filter.",
                error_type);
  support_type = new_error("tamis.NotSupportedError",
                           "Valid, but this library or this kind of filter "
                           "cannot do it.",
                           error_type);
  full_type = new_error("tamis.FilterFullError",
                        "A filter has no space for another key; nothing was "
                        "changed.",
                        error_type);
  return corruption_type != NULL && support_type != NULL && full_type != NULL &&
         PyModule_AddObjectRef(module, "Error", error_type) == 0 &&
         PyModule_AddObjectRef(module, "CorruptionError", corruption_type) ==
             0 &&
         PyModule_AddObjectRef(module, "NotSupportedError", support_type) ==
             0 &&
         PyModule_AddObjectRef(module, "FilterFullError", full_type) == 0;
}

static PyObject* type_of(int code) {
  switch (code) {
    case TAMIS_INVALID_ARGUMENT:
      return PyExc_ValueError;
    case TAMIS_CORRUPTION:
      return corruption_type;
    case TAMIS_NOT_SUPPORTED:
      return support_type;
    case TAMIS_NOT_FOUND:
      return PyExc_FileNotFoundError;
    case TAMIS_ALREADY_EXISTS:
      return PyExc_FileExistsError;
    case TAMIS_IO_ERROR:
      return PyExc_OSError;
    case TAMIS_RESOURCE_EXHAUSTED:
      return PyExc_MemoryError;
    case TAMIS_PERMISSION_DENIED:
      return PyExc_PermissionError;
    case TAMIS_FILTER_FULL:
      return full_type;
    default:
      return error_type;
  }
}

PyObject* raise_error(int code, char* message) {
  PyErr_SetString(type_of(code),
                  message != NULL ? message : tamis_code_name(code));
  tamis_free(message);
  return NULL;
}

int is_ok(int code, char* message) {
  if (code == TAMIS_OK) return 1;
  raise_error(code, message);
  return 0;
}

PyObject* take_bytes(char* bytes, size_t length) {
  PyObject* result = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)length);
  tamis_free(bytes);
  return result;
}

PyObject* take_text(char* text, size_t length) {
  PyObject* result =
      PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "backslashreplace");
  tamis_free(text);
  return result;
}
