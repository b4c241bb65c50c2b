/* SPDX-License-Identifier: Apache-2.0 */
#include "module.h"

int add_type(PyObject* module, const char* name, PyType_Spec* spec,
             PyObject** type) {
  PyObject* made = PyType_FromModuleAndSpec(module, spec, NULL);
  int ok;
  if (made == NULL) return 0;
  ok = PyModule_AddObjectRef(module, name, made) == 0;
  if (type != NULL) {
    *type = made; /* kept for as long as the process lives */
  } else {
    Py_DECREF(made);
  }
  return ok;
}

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "tamis._tamis",
                                        NULL,
                                        -1,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__tamis(void) {
  PyObject* module = PyModule_Create(&definition);
  if (module == NULL) return NULL;
  if (add_errors(module) && add_filter_types(module) &&
      add_mutable_types(module) && add_store_types(module) &&
      PyModule_AddStringConstant(module, "version", tamis_version()) == 0) {
    return module;
  }
  Py_DECREF(module);
  return NULL;
}
