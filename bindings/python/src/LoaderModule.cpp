// SPDX-License-Identifier: Apache-2.0
// The module `_loader`, which is imported before `_kindred`: it refuses interpreters and processors
// that cannot use the package, and opens a library for GPUs if one suits the machine. `_kindred` is
// then bound to it, because both libraries have the name libkindred.so.0. It links nothing of
// Kindred but the loader and `core/arch/HostLevel.cpp`, and is compiled for every processor.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <kindred/core/arch/HostLevel.hpp>
#include <kindred/loader/LibraryChoice.hpp>

#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// Paths are any bytes, which Python has as `os.fsdecode` makes them.

/// None, with the Python error set, for what is no path.
std::optional<std::string> bytes_of(PyObject* path) {
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(path, &bytes) == 0) return {};
  std::string out(PyBytes_AsString(bytes));
  Py_DECREF(bytes);
  return out;
}
PyObject* text_of(const std::string& path) { return PyUnicode_DecodeFSDefault(path.c_str()); }

void raise(PyObject* type, const std::exception& error) {
  PyObject* const message = text_of(error.what());
  if (message == nullptr) return;
  PyErr_SetObject(type, message);
  Py_DECREF(message);
}

PyObject* open_library(PyObject* /*module*/, PyObject* arguments) {
  PyObject* folder = nullptr;
  PyObject* requested = nullptr;
  PyObject* files = nullptr;
  if (PyArg_ParseTuple(arguments, "OOO!", &folder, &requested, &PyList_Type, &files) == 0)
    return nullptr;
  try {
    const std::optional<std::string> in = bytes_of(folder);
    if (!in) return nullptr;
    std::optional<std::string> given;
    if (requested != Py_None && !(given = bytes_of(requested))) return nullptr;
    std::vector<std::string> needed;
    for (Py_ssize_t i = 0; i < PyList_Size(files); ++i) {
      const std::optional<std::string> file = bytes_of(PyList_GetItem(files, i));
      if (!file) return nullptr;
      needed.push_back(*file);
    }
    const Kindred::Loader::LibraryChoice choice = Kindred::Loader::open_library(
        in->c_str(), given ? given->c_str() : nullptr, "libcuda.so.1", "libkindred.so.0", needed);
    return Py_BuildValue("(NNN)", text_of(choice.name), text_of(choice.path), text_of(choice.why));
  } catch (const std::invalid_argument& error) {
    raise(PyExc_ValueError, error);
  } catch (const std::exception& error) {
    raise(PyExc_ImportError, error);
  }
  return nullptr;
}

/// Why this processor cannot run the package, which is built for level KINDRED_PACKAGE_LEVEL and
/// those above it; empty: it can. 0 is a build for another architecture, or for this processor.
std::string why_processor_is_unusable() {
  using namespace Kindred::Arch;
  const HostLevel processor = processor_level();
  if (processor.level >= KINDRED_PACKAGE_LEVEL) return {};
  const std::string has = level_name(processor.level);
  return std::string("this pykindred is built for processors of ") +
         level_name(KINDRED_PACKAGE_LEVEL) + " and newer, and this processor has only " + has +
         ": build it on this machine, `pip install .` in a copy of the repository, or elsewhere "
         "for this level, `KINDRED_ARCH=" +
         has + " pip install .`, or for all levels, `./run wheel`";
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
  if (const std::string why_not = why_processor_is_unusable(); !why_not.empty()) {
    PyErr_SetString(PyExc_ImportError, why_not.c_str());
    return nullptr;
  }
  return PyModule_Create(&module);
}
