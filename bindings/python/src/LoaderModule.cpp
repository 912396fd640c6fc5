// SPDX-License-Identifier: Apache-2.0
// The module `_loader`, which is imported before `_kindred`: it refuses interpreters that cannot
// use the package, and opens a library for GPUs if one suits the machine. `_kindred` is then bound
// to it, because both libraries have the name libkindred.so.0. It links nothing of Kindred but the
// loader.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <kindred/loader/LibraryChoice.hpp>

#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

PyObject* open_library(PyObject* /*module*/, PyObject* arguments) {
  const char* folder = nullptr;
  const char* requested = nullptr;
  PyObject* files = nullptr;
  if (PyArg_ParseTuple(arguments, "szO!", &folder, &requested, &PyList_Type, &files) == 0)
    return nullptr;
  try {
    std::vector<std::string> needed;
    for (Py_ssize_t i = 0; i < PyList_Size(files); ++i) {
      PyObject* const file = PyUnicode_EncodeFSDefault(PyList_GetItem(files, i));
      if (file == nullptr) return nullptr;
      needed.emplace_back(PyBytes_AsString(file));
      Py_DECREF(file);
    }
    const Kindred::Loader::LibraryChoice choice =
        Kindred::Loader::open_library(folder, requested, "libcuda.so.1", "libkindred.so.0", needed);
    return Py_BuildValue("(sss)", choice.name.c_str(), choice.path.c_str(), choice.why.c_str());
  } catch (const std::invalid_argument& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_ImportError, error.what());
  }
  return nullptr;
}

PyMethodDef methods[] = {{"open_library", open_library, METH_VARARGS,
                          "open_library(folder, requested, needed) -> (name, path, why)"},
                         {nullptr, nullptr, 0, nullptr}};
PyModuleDef module{
    PyModuleDef_HEAD_INIT, "_loader", nullptr, 0, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__loader() {
  // The types and the callbacks of the extension belong to one interpreter, like those of NumPy.
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
    PyErr_SetString(PyExc_ImportError,
                    "pykindred works in the main interpreter only, and this is another one of its "
                    "process: use threads, which compute at the same time, or processes");
    return nullptr;
  }
  return PyModule_Create(&module);
}
