/* SPDX-License-Identifier: Apache-2.0
 *
 * kindred.h: the C interface of Kindred, for C99, C11, C++17 and foreign-function interfaces.
 *
 * Conventions
 * - A function returns KINDRED_OK or a negative status. It never throws, prints, aborts or exits.
 * After a failure, kindred_last_error() has the message: what happened, the value, the limit and
 * what to do. A failed call changes nothing, and writes nothing through its output pointers except
 * where a function says so.
 * - Objects are opaque handles. `*_create`, `*_load` and calls with ragged results make them;
 * kindred_destroy frees any of them, and accepts NULL. A handle of another kind, or one that was
 * destroyed, is refused with KINDRED_INVALID as long as its memory has not been given to a new
 * handle. Objects keep their context alive: the order of destruction does not matter.
 * - Structs of options start with `struct_size`. Initialise them by their KINDRED_..._INIT, or by
 * kindred_init. A NULL pointer stands for the defaults. A smaller struct, of an older header, is
 * accepted: the members that it lacks have their defaults. A larger one is accepted if what this
 * library does not know is zero. Structs that a call fills also start with `struct_size`,
 * which the caller sets; members beyond it are not written. Lists of structs with a `struct_size`
 * are arrays of pointers. Elements of other arrays have no size, and stay as they are.
 * - Parameters marked KINDRED_OPTIONAL may be NULL. Pointers to arrays may be NULL if the array is
 * empty.
 * - Arrays of numbers are borrowed `DLTensor`s; kindred_tensor() makes one of a pointer. Their
 * memory is not kept after the call, except where a function says so. A function that says "on a
 * device" also takes tensors in the memory of the context's device (kDLCUDA or kDLCUDAManaged), and
 * then all tensors of the call are there; the others take host memory alone.
 * - Rows of different lengths are `offsets` of rows + 1 elements, which start at 0 and never
 * decrease, and the values of all rows.
 * - Texts are any bytes, with their number: they need no final zero. Paths end with a zero.
 * - Functions may be called from any number of threads, also with the same handle, except where a
 * comment says so. Nobody may destroy a handle while another thread uses it. Message of
 * kindred_last_error: one per thread.
 * - Calls wait for their results ("fence") before they return, and what writes a tensor on a
 * device must have ended before the call. A call whose options have `has_stream` = 1 does neither:
 * it comes after the work in `stream`, a cudaStream_t of which NULL is CUDA's default stream, and
 * its results are there for later work in that stream. A stream needs tensors on a device, must
 * outlive the handle of the call, and must not be captured, except where a function says so.
 */
#ifndef KINDRED_H
#define KINDRED_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define KINDRED_NOEXCEPT noexcept
extern "C" {
#else
#define KINDRED_NOEXCEPT
#endif

#if defined(__GNUC__)
#define KINDRED_API __attribute__((visibility("default")))
#else
#define KINDRED_API
#endif

/* Marks parameters that may be NULL. */
#define KINDRED_OPTIONAL

/* DLPack's tensor (https://dmlc.github.io/dlpack). Include dlpack.h before this header to use its
 * declarations instead. */
#ifndef DLPACK_DLPACK_H_
#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
  kDLCPU = 1,
  kDLCUDA = 2,
  kDLCUDAHost = 3,
  kDLCUDAManaged = 13
} DLDeviceType;

typedef struct {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;

typedef enum {
  kDLInt = 0U,
  kDLUInt = 1U,
  kDLFloat = 2U,
  kDLBfloat = 4U,
  kDLBool = 6U
} DLDataTypeCode;

typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} DLTensor;
#endif /* DLPACK_DLPACK_H_ */

/* ---- Status ---- */

/** What a call returns. */
typedef enum {
  KINDRED_OK = 0,
  KINDRED_INVALID = -1,   /* an argument is invalid */
  KINDRED_NO_MEMORY = -2, /* memory could not be allocated, or a budget is exhausted */
  KINDRED_NO_SPACE =
      -3, /* the requested execution space or library cannot be used on this machine */
  KINDRED_DEVICE_LOST = -4, /* CUDA reported an error of the device */
  KINDRED_CORRUPT = -5,     /* the contents of a file are invalid */
  KINDRED_NOT_FOUND = -6,   /* a name, id or file does not exist */
  KINDRED_BUSY = -7,        /* another process or thread holds the resource */
  KINDRED_CANCELLED = -8,   /* a callback or a kindred_cancellation ended the call */
  KINDRED_INTERNAL = -9     /* any other failure, such as a failed write */
} kindred_status;

/** Name of a status, such as `KINDRED_INVALID`; never NULL. */
KINDRED_API const char* kindred_status_name(int32_t status) KINDRED_NOEXCEPT;

/** Message of the last failed call of this thread, valid until its next failed call; empty before
 * the first. Never NULL. */
KINDRED_API const char* kindred_last_error(void) KINDRED_NOEXCEPT;

/** Version of the library: 10000 * major + 100 * minor + patch. */
KINDRED_API uint32_t kindred_version(void) KINDRED_NOEXCEPT;

/** Version of the library, such as `0.1.0`. */
KINDRED_API const char* kindred_version_string(void) KINDRED_NOEXCEPT;

/* ---- Handles ---- */

/* a request to end calls early */
typedef struct kindred_cancellation kindred_cancellation;
/* spaces, threads, memory budgets and the dispatcher */
typedef struct kindred_context kindred_context;
/* an owned text */
typedef struct kindred_string kindred_string;
/* owned texts */
typedef struct kindred_strings kindred_strings;
/* numbers texts */
typedef struct kindred_vocabulary kindred_vocabulary;
/* compares one sequence with many */
typedef struct kindred_query kindred_query;
/* exact search in stored sequences */
typedef struct kindred_matcher kindred_matcher;
/* a memory of event sequences that learns and forgets */
typedef struct kindred_memory kindred_memory;
/* a pattern of a memory */
typedef struct kindred_pattern kindred_pattern;
/* the results of kindred_memory_predict */
typedef struct kindred_predictions kindred_predictions;
/* makes predictions from candidates of the caller */
typedef struct kindred_predictor kindred_predictor;
/* exact search in vectors */
typedef struct kindred_index kindred_index;
/* low-latency scores of candidates */
typedef struct kindred_scorer kindred_scorer;
/* approximate search in vectors */
typedef struct kindred_hnsw kindred_hnsw;
/* spreading activation and PageRank */
typedef struct kindred_graph kindred_graph;
/* ragged results: one row per query */
typedef struct kindred_results kindred_results;
/* a partition of stored sequences */
typedef struct kindred_clusters kindred_clusters;
/* exact search in vectors that have keys */
typedef struct kindred_keyed_index kindred_keyed_index;
/* a layer of seeds */
typedef struct kindred_seeds kindred_seeds;
/* a copy of the sets of weights of a layer, or of a file of them */
typedef struct kindred_blueprints kindred_blueprints;
/* computes the alpha of one grafting seed */
typedef struct kindred_schedule kindred_schedule;
/* a prepared sequence of forward passes of seeds */
typedef struct kindred_seed_sequence kindred_seed_sequence;
/* a prepared call of layers or on lists of arrays */
typedef struct kindred_prepared kindred_prepared;
/* a grid of nodes, with its paths */
typedef struct kindred_lattice kindred_lattice;

/* ---- Common types ---- */

/** Stands for a 64-bit option that is not set. */
#define KINDRED_UNSET UINT64_MAX
/** A symbol outside of a vocabulary: it matches nothing, including itself. */
#define KINDRED_UNKNOWN_SYMBOL UINT32_MAX

/* Where work runs. */
enum {
  KINDRED_SPACE_ANY = -1,
  KINDRED_SPACE_SERIAL = 0,
  KINDRED_SPACE_OPENMP = 1,
  KINDRED_SPACE_CUDA = 2
};

/* Where a store keeps its data: on the host and, if it fits, on the device; on the host; on both;
 * used on the device only. */
enum {
  KINDRED_RESIDENCY_AUTOMATIC = 0,
  KINDRED_RESIDENCY_HOST = 1,
  KINDRED_RESIDENCY_BOTH = 2,
  KINDRED_RESIDENCY_DEVICE = 3
};

/* Why a space was chosen. */
enum {
  KINDRED_REASON_PREDICTED = 0,
  KINDRED_REASON_FORCED = 1,
  KINDRED_REASON_ONLY = 2,
  KINDRED_REASON_HYSTERESIS = 3,
  KINDRED_REASON_PROBE = 4,
  KINDRED_REASON_FALLBACK = 5,
  KINDRED_REASON_MEMORY = 6,
  KINDRED_REASON_THRESHOLD = 7
};

/** A borrowed text. */
typedef struct kindred_text {
  const char* data; /* may be NULL if size is 0 */
  size_t size;      /* bytes */
} kindred_text;

/** Where a call ran, why, and the time taken. */
typedef struct kindred_record {
  size_t struct_size;
  char operation[32]; /* name, such as `search`; empty if the dispatcher was not asked */
  uint64_t items; /* patterns * queries, rows * queries, candidates, edges * queries or elements */
  double work;    /* elementary steps */
  uint64_t transfer_bytes; /* copied to and from a device if it is chosen */
  double predicted[3];     /* seconds on each space; NaN for a space that cannot run the call */
  double taken;            /* seconds */
  double starts;           /* parallel regions or kernels, one after the other */
  int32_t space;           /* KINDRED_SPACE_... */
  int32_t reason;          /* KINDRED_REASON_... */
  int32_t threads;         /* host threads used */
  int32_t first;   /* 1: the first call of this size on this space, which includes allocations */
  uint32_t pieces; /* maximum number of threads that can share the work; 0: no limit */
  int32_t reserved;
} kindred_record;
#define KINDRED_RECORD_INIT \
  { sizeof(kindred_record), {0}, 0, 0, 0, {0, 0, 0}, 0, 0, 0, 0, 0, 0, 0, 0 }
/** A record as one line of JSON, which `kindred --explain` prints. KINDRED_INVALID for numbers of a
 * space or a reason that do not exist. */
KINDRED_API kindred_status kindred_record_json(const kindred_record* record,
                                               kindred_string** json) KINDRED_NOEXCEPT;

/* The kinds of keys: integers of 64 bits, or byte strings of any length, such as texts or UUIDs. */
enum { KINDRED_KEYS_INTEGERS = 0, KINDRED_KEYS_BYTES = 1 };

/** A borrowed list of keys of one kind. Byte strings are given in one of three forms: `texts`;
 * `bytes` with `offsets`; or `bytes` of one `width`. Lists that the library returns have `bytes`
 * with `offsets`. */
typedef struct kindred_key_span {
  size_t struct_size;
  uint64_t count;            /* number of keys */
  const uint64_t* integers;  /* of KINDRED_KEYS_INTEGERS */
  const kindred_text* texts; /* of KINDRED_KEYS_BYTES, as the following */
  const char* bytes;         /* of all keys, one after the other */
  const uint64_t* offsets;   /* count + 1: key i is bytes[offsets[i] ... offsets[i + 1]) */
  uint64_t width;            /* bytes of every key without `offsets`, such as 16 for UUIDs */
  int32_t kind;              /* KINDRED_KEYS_... */
  int32_t reserved;          /* 0 */
} kindred_key_span;
#define KINDRED_KEY_SPAN_INIT \
  { sizeof(kindred_key_span), 0, NULL, NULL, NULL, NULL, 0, KINDRED_KEYS_INTEGERS, 0 }

/* The bits of `DLDataType`s, for kindred_tensor. */
#define KINDRED_FLOAT32 ((uint32_t)kDLFloat << 8U | 32U)
#define KINDRED_FLOAT16 ((uint32_t)kDLFloat << 8U | 16U)
#define KINDRED_BFLOAT16 ((uint32_t)kDLBfloat << 8U | 16U)
#define KINDRED_FLOAT64 ((uint32_t)kDLFloat << 8U | 64U)
#define KINDRED_INT8 ((uint32_t)kDLInt << 8U | 8U)
#define KINDRED_INT16 ((uint32_t)kDLInt << 8U | 16U)
#define KINDRED_INT32 ((uint32_t)kDLInt << 8U | 32U)
#define KINDRED_INT64 ((uint32_t)kDLInt << 8U | 64U)
#define KINDRED_UINT8 ((uint32_t)kDLUInt << 8U | 8U)
#define KINDRED_UINT16 ((uint32_t)kDLUInt << 8U | 16U)
#define KINDRED_UINT32 ((uint32_t)kDLUInt << 8U | 32U)
#define KINDRED_UINT64 ((uint32_t)kDLUInt << 8U | 64U)
#define KINDRED_BOOL ((uint32_t)kDLBool << 8U | 8U)

/** A tensor in host memory: `data` with the given type (KINDRED_FLOAT32, ...) and shape, without
 * gaps, the last index fastest. `shape` must stay valid while the tensor is used. For input, `data`
 * may point to constant elements. */
static inline DLTensor kindred_tensor(const void* data, uint32_t type, int32_t ndim,
                                      int64_t* shape) {
  DLTensor tensor;
  union {
    const void* constant;
    void* any;
  } pointer;
  pointer.constant = data;
  tensor.data = pointer.any;
  tensor.device.device_type = kDLCPU;
  tensor.device.device_id = 0;
  tensor.ndim = ndim;
  tensor.dtype.code = (uint8_t)(type >> 8U);
  tensor.dtype.bits = (uint8_t)(type & 0xFFU);
  tensor.dtype.lanes = 1;
  tensor.shape = shape;
  tensor.strides = NULL;
  tensor.byte_offset = 0;
  return tensor;
}

