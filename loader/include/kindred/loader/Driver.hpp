// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_LOADER_DRIVER_HPP
#define KINDRED_LOADER_DRIVER_HPP

#include <string>

namespace Kindred::Loader {

/// What the NVIDIA driver of this machine reports about the GPU that a process uses by default.
struct Driver {
  std::string why_not;   ///< why no GPU can be used; empty: the other members are set
  int cuda = 0;          ///< newest version of CUDA that it supports: 1000 × major + 10 × minor
  std::string device;    ///< name of device 0
  int architecture = 0;  ///< 10 × its compute capability
};

/// \brief Asks the driver. Nothing is linked: a machine without a driver is a result, not an error.
///
/// Takes less than 0.1 ms where there is no driver. Where there is one, its management library
/// (NVML) answers, so that CUDA is not initialised and still works in a process that is forked from
/// this one. CUDA itself is asked, and initialised, where the management library is missing or
/// fails, where the devices differ or one is divided (MIG), where CUDA_VISIBLE_DEVICES shows none
/// of them or names the first one by something else than its number, and where the file of the
/// driver that CUDA opens besides cannot be opened. \param file of the driver's library, which is
/// searched like any library if it has no folder \param management file of the management library
/// \param memory_device file of the driver that only CUDA opens
Driver query_driver(const char* file = "libcuda.so.1", const char* management = "libnvidia-ml.so.1",
                    const char* memory_device = "/dev/nvidia-uvm");

}  // namespace Kindred::Loader

#endif  // KINDRED_LOADER_DRIVER_HPP
