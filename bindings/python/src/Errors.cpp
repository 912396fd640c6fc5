// SPDX-License-Identifier: Apache-2.0
#include "Errors.hpp"

#include <kindred/core/common/Error.hpp>

#include <nanobind/nanobind.h>

#include "Texts.hpp"

#include <new>
#include <stdexcept>
#include <system_error>

namespace nb = nanobind;

namespace Kindred::Python {

namespace {

/// Sets the Python error. The classes are looked up here, where the time does not matter.
template <class... Arguments>
void set_error(const char* name, const Arguments&... arguments) {
  nb::object type = nb::module_::import_("pykindred.errors").attr(name);
  nb::object error = type(arguments...);
  PyErr_SetObject(type.ptr(), error.ptr());
}

void translate(const std::exception_ptr& exception, void* /*payload*/) {
  try {
    std::rethrow_exception(exception);
  } catch (const InvalidType& error) {
    set_error("InvalidType", error.message);
  } catch (const InvalidArgument& error) {
    set_error("InvalidArgument", std::string(error.what()));
  } catch (const OutOfMemory& error) {
    set_error("OutOfMemory", std::string(error.what()), error.space(), error.bytes(),
              error.label());
  } catch (const SpaceUnavailable& error) {
    set_error("SpaceUnavailable", std::string(error.what()));
  } catch (const DeviceLost& error) {
    set_error("DeviceLost", std::string(error.what()));
  } catch (const CorruptFile& error) {
    set_error("CorruptFile", std::string(error.what()), error.path(), error.offset(), error.why());
  } catch (const NotFound& error) {
    set_error("NotFound", std::string(error.what()));
  } catch (const Busy& error) {
    set_error("Busy", std::string(error.what()));
  } catch (const Cancelled& error) {
    set_error("Cancelled", std::string(error.what()));
  } catch (const Error& error) {
    set_error("Error", std::string(error.what()));
  } catch (const std::system_error& error) {  // of the standard library, which may quote a path
    const nb::object message = nb::steal(str_of(error.what()));
    if (message.is_valid()) PyErr_SetObject(PyExc_RuntimeError, message.ptr());
  } catch (const std::bad_alloc&) {
    set_error("OutOfMemory", std::string("there is not enough host memory for the call"));
  } catch (const std::length_error&) {
    set_error("OutOfMemory", std::string("an array of the call would exceed the address space"));
  }
}

}  // namespace

void refuse_type(std::string message) { throw InvalidType{std::move(message)}; }
void refuse(const std::string& message) { throw InvalidArgument(message); }

std::string type_text(nb::handle object) {
  return nb::cast<std::string>(nb::type_name(object.type()));
}

bool is_text(nb::handle object) {
  return PyUnicode_Check(object.ptr()) != 0 || PyBytes_Check(object.ptr()) != 0;
}

bool is_collection(nb::handle object) {
  if (is_text(object)) return false;
  const nb::object iterator = nb::steal(PyObject_GetIter(object.ptr()));
  if (!iterator.is_valid()) PyErr_Clear();
  return iterator.is_valid();
}

void register_errors() { nb::register_exception_translator(translate); }

}  // namespace Kindred::Python
