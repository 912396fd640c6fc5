/* SPDX-License-Identifier: Apache-2.0
 *
 * kindred.h: the C interface of Kindred, for C99, C11, C++17 and foreign-function interfaces.
 *
 * Conventions
 * - A function returns KINDRED_OK or a negative status. It never throws, prints, aborts or exits.
 * After a failure, kindred_last_error() has the message: what happened, the value, the limit and
 * what to do. A failed call changes nothing, and writes nothing through its output pointers except
 * where a function says so.
 * - Objects are opaque handles. `*_create`, `*_load` and calls with ragged results make them; each
 * has one `*_destroy`, which accepts NULL. A handle of another kind, or one that was destroyed, is
 * refused with KINDRED_INVALID as long as its memory has not been given to a new handle. Objects
 * keep their context alive: the order of destruction does not matter.
 * - Structs of options start with `struct_size`. Initialise them by their KINDRED_..._INIT, or by
 * their function `*_init`. A NULL pointer stands for the defaults. A smaller struct, of an older
 * header, is accepted: the members that it lacks have their defaults. A larger one is accepted if
 * what this library does not know is zero. Structs that a call fills also start with `struct_size`,
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
  KINDRED_DEVICE_LOST = -4, /* the device stopped responding */
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

/* ---- Texts that the library returns, cancellation and contexts ---- */

/* How important a message is. */
enum { KINDRED_LOG_DEBUG = 0, KINDRED_LOG_INFO = 1, KINDRED_LOG_WARNING = 2 };

/** Receives a log message, from any thread. The returned value is ignored. */
typedef int (*kindred_log_callback)(void* user, int32_t level, const char* message, size_t size);
/** Receives the record of a call that the dispatcher placed, from any thread. The returned value is
 * ignored. */
typedef int (*kindred_dispatch_callback)(void* user, const kindred_record* record);
/** Called before an allocation within a budget, from any thread; nonzero refuses it, with
 * KINDRED_NO_MEMORY. `memory` is `host` or `cuda`. */
typedef int (*kindred_allocation_callback)(void* user, const char* memory, uint64_t bytes,
                                           const char* label);
/** Receives the number of items done so far, on the calling thread; nonzero cancels the call. */
typedef int (*kindred_progress_callback)(void* user, uint64_t done);
/** Called when the library no longer reads arrays that it borrowed, from any thread. The returned
 * value is ignored. It must not call the library. */
typedef int (*kindred_release_callback)(void* user);

/** A measured point of a calibration. */
typedef struct kindred_calibration_point {
  size_t struct_size;
  const char* operation; /* valid during the callback */
  int32_t space;
  int32_t threads;
  double work;
  double seconds;
} kindred_calibration_point;
/** Receives each measured point, on the calling thread; nonzero cancels, and the dispatcher is
 * unchanged. */
typedef int (*kindred_calibration_callback)(void* user, const kindred_calibration_point* point);

/** Options of a context. The defaults use the whole machine. */
typedef struct kindred_context_options {
  size_t struct_size;
  int32_t threads; /* of the space openmp, at most 512; 0: as many as this process may use */
  int32_t device;  /* GPU, counted from 0 among those visible to the process; -1: the first that
                      Kokkos selects */
  int32_t space;   /* runs everything there; KINDRED_SPACE_ANY: the dispatcher chooses */
  int32_t load_profile;       /* nonzero: use the calibration of this machine if there is one */
  double budget_fraction;     /* share of the free memory that may be used, in (0, 1] */
  uint64_t host_budget;       /* bytes; overrides the share; KINDRED_UNSET */
  uint64_t device_budget;     /* likewise */
  uint64_t device_budget_max; /* bytes; upper limit */
  uint64_t device_memory_min; /* bytes; a device with less memory is not used */
  const char* profile; /* path of the calibration file; NULL: `$KINDRED_PROFILE`, otherwise a file
                          below `$XDG_CACHE_HOME` or `~/.cache` */
  kindred_log_callback log; /* NULL: no messages */
  void* log_user;
  kindred_dispatch_callback on_dispatch; /* NULL: none */
  void* dispatch_user;
  kindred_allocation_callback before_allocation; /* NULL: none */
  void* allocation_user;
  uint64_t window;            /* of the dispatcher: observations behind a median */
  double probe_interval_ms;   /* between probes of a space that is not chosen */
  double probe_loss_max;      /* maximum predicted loss of a probe in seconds; negative: no limit */
  double breaker_interval_ms; /* an open breaker lets one call through after this time */
  uint64_t device_items_min;  /* calls of fewer items stay on the host; KINDRED_UNSET */
  uint64_t
      device_items_from; /* calls of at least this many items go to the device; KINDRED_UNSET */
} kindred_context_options;
#define KINDRED_CONTEXT_OPTIONS_INIT                                                           \
  {                                                                                            \
    sizeof(kindred_context_options), 0, -1, KINDRED_SPACE_ANY, 1, 0.8, KINDRED_UNSET,          \
        KINDRED_UNSET, UINT64_MAX, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 100, 5000, -1, \
        10000, KINDRED_UNSET, KINDRED_UNSET                                                    \
  }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_context_options_init(kindred_context_options* options,
                                                        size_t struct_size) KINDRED_NOEXCEPT;

/** Properties of a space. The texts are valid while the context lives. */
typedef struct kindred_space_info {
  size_t struct_size;
  int32_t compiled;
  int32_t usable;
  const char* why_not;       /* reason if not usable, otherwise empty */
  const char* device;        /* name of the processor or the GPU */
  int32_t device_index;      /* of the GPU in use, among those visible to the process */
  int32_t device_count;      /* GPUs visible to the process */
  int32_t concurrency;       /* host threads, or streaming multiprocessors */
  int32_t kernels_from_ptx;  /* 1: the driver compiles the kernels at their first use */
  double compute_capability; /* of a CUDA device, such as 9.0 */
  double kernels_for;        /* compute capability that the kernels were compiled for */
  uint64_t memory_total;     /* bytes */
  uint64_t memory_free;      /* bytes free when the context started */
  uint64_t memory_budget;    /* bytes that Kindred may use */
} kindred_space_info;
#define KINDRED_SPACE_INFO_INIT \
  { sizeof(kindred_space_info), 0, 0, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/** Memory in use within the budget of a space, in bytes. */
typedef struct kindred_memory_use {
  size_t struct_size;
  uint64_t current;
  uint64_t peak;
  uint64_t allocations;         /* number so far */
  uint64_t total;               /* bytes of all allocations so far */
  uint64_t current_allocations; /* number in use */
  uint64_t failures;            /* allocations that the system or the driver refused */
} kindred_memory_use;
#define KINDRED_MEMORY_USE_INIT \
  { sizeof(kindred_memory_use), 0, 0, 0, 0, 0, 0 }

/** Frees a handle. */
KINDRED_API kindred_status kindred_string_destroy(KINDRED_OPTIONAL kindred_string* string)
    KINDRED_NOEXCEPT;
/** The bytes, which a zero follows. Valid while the handle lives. */
KINDRED_API kindred_status kindred_string_get(const kindred_string* string,
                                              kindred_text* text) KINDRED_NOEXCEPT;

/** Frees a handle. */
KINDRED_API kindred_status kindred_strings_destroy(KINDRED_OPTIONAL kindred_strings* strings)
    KINDRED_NOEXCEPT;
/** The texts of a list, which live as long as the handle. A text that does not exist has no
 * `data`; an empty one has.
 *  @param count number of texts */
KINDRED_API kindred_status kindred_strings_get(const kindred_strings* strings,
                                               const kindred_text** texts,
                                               size_t* count) KINDRED_NOEXCEPT;

/** What a file of this project contains, such as `vectors` or `graph`; empty for other files,
 * and for those that cannot be read. Nothing else in it is validated. */
KINDRED_API kindred_status kindred_file_kind(const char* path,
                                             kindred_string** kind) KINDRED_NOEXCEPT;

/** Creates a request to end calls early, which is not made yet. Threads for which a handle is
 * set that was destroyed keep what was requested until they set another. */
KINDRED_API kindred_status kindred_cancellation_create(kindred_cancellation** cancellation)
    KINDRED_NOEXCEPT;
/** Frees a handle. */
KINDRED_API kindred_status
kindred_cancellation_destroy(KINDRED_OPTIONAL kindred_cancellation* cancellation) KINDRED_NOEXCEPT;
/** Cancels the present calls of all threads for which it is set, and all their later ones until
 * kindred_cancellation_reset. Any thread may call it and, with a valid handle, signal handlers. */
KINDRED_API kindred_status kindred_cancellation_cancel(kindred_cancellation* cancellation)
    KINDRED_NOEXCEPT;
/** Forgets the request: calls that have not seen it go on. */
KINDRED_API kindred_status kindred_cancellation_reset(kindred_cancellation* cancellation)
    KINDRED_NOEXCEPT;
/** Whether calls are cancelled.
 *  @param is_cancelled 1: they are */
KINDRED_API kindred_status kindred_cancellation_is_cancelled(
    const kindred_cancellation* cancellation, int32_t* is_cancelled) KINDRED_NOEXCEPT;

/** Lets a handle cancel the later calls of this thread, also on devices. Calls look for the
 * request between their steps and, on the host, every few milliseconds; short ones may not.
 * Those that are cancelled return KINDRED_CANCELLED: objects are as they were before the call,
 * and arrays of the caller for results have unspecified values. A call that can no longer be
 * undone finishes, and calls that free objects are never cancelled. A handle may be set for any
 * number of threads. Calls that are running keep the one that was set when they began.
 *  @param cancellation NULL: calls cannot be cancelled, as at the start of a thread
 *  @param before the handle that was set before; NULL if there was none or it was destroyed */
KINDRED_API kindred_status
kindred_set_cancellation(KINDRED_OPTIONAL kindred_cancellation* cancellation,
                         KINDRED_OPTIONAL kindred_cancellation** before) KINDRED_NOEXCEPT;

/** Creates a context. The first one of a process also chooses the library: the built-in one for
 * hosts or, if a driver and a device are found, the one for NVIDIA GPUs that is installed beside
 * it. KINDRED_LIBRARY overrides the choice. A process that was forked from one with a context
 * has neither its threads nor its devices: calls with contexts, and with what needs one, return
 * KINDRED_NO_SPACE there. A context that is destroyed ends when the objects that were created
 * from it are destroyed, too. KINDRED_NO_SPACE: the space or the device cannot be used. */
KINDRED_API kindred_status
kindred_context_create(KINDRED_OPTIONAL const kindred_context_options* options,
                       kindred_context** context) KINDRED_NOEXCEPT;
/** Frees a handle. */
KINDRED_API kindred_status kindred_context_destroy(KINDRED_OPTIONAL kindred_context* context)
    KINDRED_NOEXCEPT;
/** A context and what its dispatcher knows, as one line of JSON. `threads`: of the space openmp.
 * `library`: the `name` of the build of the library that serves the context (`host`, that of a
 * folder such as `cuda-90`, a path that KINDRED_LIBRARY names, or `built-in` for a library for
 * GPUs that serves itself), and `why` it was chosen. `profile`: its `path`, whether the
 * dispatcher is `calibrated`, and the `calibration`, as kindred_context_load_profile_json takes
 * it. `dispatcher`: its `decisions`, the seconds `taken` by their calls, and those `lost`: the
 * sum of max(0, taken - best predicted). `spaces`: for each what kindred_context_space returns,
 * the `threads` that a call may use there, and the sizes of `teams`. `operations`, by the names
 * of kindred_record: `batch_bytes`, the bytes of the arrays of a list that a device processes at
 * a time unless the options of a call say otherwise; and for each usable one of `spaces` whether
 * its circuit breaker is open (`breaker_open`: calls are kept off it, because too many have
 * failed there), and the `crossover`: the smallest power of two of work from which it is always
 * predicted to be faster than every space before it; null if there is none. */
KINDRED_API kindred_status kindred_context_describe(const kindred_context* context,
                                                    kindred_string** json) KINDRED_NOEXCEPT;
/** Describes a space, also one that cannot be used. */
KINDRED_API kindred_status kindred_context_space(const kindred_context* context, int32_t space,
                                                 kindred_space_info* info) KINDRED_NOEXCEPT;
/** Bytes of the memory of a space that are free now, as the system or the driver reports it. */
KINDRED_API kindred_status kindred_context_free_memory(const kindred_context* context,
                                                       int32_t space,
                                                       uint64_t* free_memory) KINDRED_NOEXCEPT;
/** Memory that Kindred uses on a space. */
KINDRED_API kindred_status kindred_context_memory_use(const kindred_context* context, int32_t space,
                                                      kindred_memory_use* use) KINDRED_NOEXCEPT;
/** Measures every operation on every usable space and gives the costs to the dispatcher.
 *  @param seconds approximate time limit, > 0 */
KINDRED_API kindred_status
kindred_context_calibrate(kindred_context* context, double seconds,
                          KINDRED_OPTIONAL kindred_calibration_callback on_point,
                          KINDRED_OPTIONAL void* user) KINDRED_NOEXCEPT;
/** Writes the calibration to the profile of the context, atomically. */
KINDRED_API kindred_status kindred_context_save_profile(const kindred_context* context)
    KINDRED_NOEXCEPT;
/** Loads a calibration of this machine from JSON. KINDRED_INVALID for other JSON,
 * KINDRED_NOT_FOUND if it has calibrations of other machines only; the dispatcher is then
 * unchanged. */
KINDRED_API kindred_status kindred_context_load_profile_json(kindred_context* context,
                                                             const char* json,
                                                             size_t size) KINDRED_NOEXCEPT;
/** Passes a message to the callback of the context for messages.
 *  @param level KINDRED_LOG_... */
KINDRED_API kindred_status kindred_context_log(const kindred_context* context, int32_t level,
                                               const char* message, size_t size) KINDRED_NOEXCEPT;

/* ---- Results ---- */

/** A run of equal symbols: pattern[pattern_begin + i] == query[query_begin + i] for i < length. */
typedef struct kindred_block {
  uint32_t pattern_begin;
  uint32_t query_begin;
  uint32_t length;
} kindred_block;

/** The contribution of an edge in one hop of a spread. */
typedef struct kindred_step {
  uint32_t from;
  uint32_t to;
  float weight;
  float carried;
} kindred_step;

/** Convergence of PageRank for one query. */
typedef struct kindred_convergence {
  double residual;
  uint32_t iterations;
  uint32_t reserved;
} kindred_convergence;

/** The contribution of one ranking to a fused result. */
typedef struct kindred_fusion_reason {
  uint64_t ranking;
  uint64_t place; /* 1 is the best */
  double score;   /* in that ranking */
  double contribution;
} kindred_fusion_reason;

/** Which path a search took, and its counts. */
typedef struct kindred_search_report {
  size_t struct_size;
  char path[16];        /* `brute_force`, `quantized`, `gemm` or `candidates` */
  uint64_t prefiltered; /* (query, row) pairs that were compared with a bound */
  uint64_t survivors;   /* of these, pairs that were scored exactly */
} kindred_search_report;
#define KINDRED_SEARCH_REPORT_INIT \
  { sizeof(kindred_search_report), {0}, 0, 0 }

/** The arrays of results, which live as long as the handle. What results do not have is NULL. */
typedef struct kindred_results_view {
  size_t struct_size;
  uint64_t rows;           /* one per query */
  const uint64_t* offsets; /* rows + 1: row r has the results offsets[r] ... offsets[r + 1] */
  const int64_t* ids;      /* indices of patterns, ids of vectors, nodes, items */
  const double* scores;    /* similarities, scores or activations, best first; float32 scores are
                              converted exactly; 0 for paths and rows of lattices */
  const uint32_t* matched; /* matched symbols of sequences */
  const double* distances; /* of sequences */
  const uint64_t* block_offsets; /* result i has the matching blocks block_offsets[i] ...
                                    block_offsets[i + 1], if the options asked for them */
  const kindred_block* blocks;
  const uint64_t* path_offsets; /* result i of a spread has the paths path_offsets[i] ...
                                   path_offsets[i + 1], if the options asked for them */
  const float* strengths;       /* of every path */
  const uint64_t* step_offsets; /* path j has the edges step_offsets[j] ... step_offsets[j + 1] */
  const kindred_step* steps;
  const kindred_convergence* convergence; /* of every query of PageRank */
  const uint64_t* reason_offsets; /* result i of a fusion has the reasons reason_offsets[i] ...
                                     reason_offsets[i + 1] */
  const kindred_fusion_reason* reasons;
  const kindred_key_span*
      keys; /* of every result of a kindred_keyed_index, in the order of the ids */
  const kindred_record* record;        /* where the call ran */
  const kindred_search_report* report; /* the path of a search in vectors */
} kindred_results_view;
#define KINDRED_RESULTS_VIEW_INIT                                                                \
  {                                                                                              \
    sizeof(kindred_results_view), 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
        NULL, NULL, NULL, NULL, NULL, NULL, NULL                                                 \
  }

/** Frees a handle. */
KINDRED_API kindred_status kindred_results_destroy(KINDRED_OPTIONAL kindred_results* results)
    KINDRED_NOEXCEPT;
/** The arrays of results. */
KINDRED_API kindred_status kindred_results_get(const kindred_results* results,
                                               kindred_results_view* view) KINDRED_NOEXCEPT;

/* ---- Vocabulary: numbers texts in first-seen order, from 0 ---- */

/** Size of a vocabulary. */
typedef struct kindred_vocabulary_statistics {
  size_t struct_size;
  uint64_t symbols;
  uint64_t text_bytes;
  uint64_t held_bytes; /* of memory */
} kindred_vocabulary_statistics;
#define KINDRED_VOCABULARY_STATISTICS_INIT \
  { sizeof(kindred_vocabulary_statistics), 0, 0, 0 }

/** Creates a vocabulary in which text i has the number i. KINDRED_INVALID for a text that occurs
 * twice. */
KINDRED_API kindred_status kindred_vocabulary_create(
    const kindred_text* texts, size_t count, kindred_vocabulary** vocabulary) KINDRED_NOEXCEPT;
/** The vocabulary of a file that kindred_vocabulary_save has written. KINDRED_NOT_FOUND: there
 * is no such file. KINDRED_CORRUPT: it is damaged; nothing of it is used. */
KINDRED_API kindred_status
kindred_vocabulary_load(const char* path, kindred_vocabulary** vocabulary) KINDRED_NOEXCEPT;
/** The vocabulary of the bytes of kindred_vocabulary_to_bytes, or of a file of
 * kindred_vocabulary_save, which are copied. KINDRED_CORRUPT: the bytes are damaged; nothing of
 * them is used. */
KINDRED_API kindred_status kindred_vocabulary_from_bytes(
    const uint8_t* bytes, size_t size, kindred_vocabulary** vocabulary) KINDRED_NOEXCEPT;
/** Frees a handle. */
KINDRED_API kindred_status
kindred_vocabulary_destroy(KINDRED_OPTIONAL kindred_vocabulary* vocabulary) KINDRED_NOEXCEPT;
/** Adds the new ones of `texts`, in their order or, `sorted`, in that of their bytes, so that
 * their numbers do not depend on their order; none on a failure.
 *  @param sorted nonzero: in bytewise lexicographic order
 *  @param symbols [count] their numbers; NULL: not returned */
KINDRED_API kindred_status
kindred_vocabulary_add(kindred_vocabulary* vocabulary, const kindred_text* texts, size_t count,
                       int32_t sorted, KINDRED_OPTIONAL uint32_t* symbols) KINDRED_NOEXCEPT;
/** The numbers of some texts; KINDRED_UNKNOWN_SYMBOL for those that are not in the vocabulary.
 *  @param symbols [count] */
KINDRED_API kindred_status kindred_vocabulary_find(const kindred_vocabulary* vocabulary,
                                                   const kindred_text* texts, size_t count,
                                                   uint32_t* symbols) KINDRED_NOEXCEPT;
/** The texts of `symbols`, uint32 [n]. They are valid while the vocabulary lives.
 * KINDRED_NOT_FOUND: a number was never assigned; the message has its position.
 *  @param texts [count] */
KINDRED_API kindred_status kindred_vocabulary_decode(const kindred_vocabulary* vocabulary,
                                                     const uint32_t* symbols, size_t count,
                                                     kindred_text* texts) KINDRED_NOEXCEPT;
/** The number of symbols and bytes. */
KINDRED_API kindred_status
kindred_vocabulary_get_statistics(const kindred_vocabulary* vocabulary,
                                  kindred_vocabulary_statistics* statistics) KINDRED_NOEXCEPT;
/** Writes the vocabulary to a file, atomically: the file at `path` is the old or the new one.
 * KINDRED_BUSY while another process writes it. */
KINDRED_API kindred_status kindred_vocabulary_save(const kindred_vocabulary* vocabulary,
                                                   const char* path) KINDRED_NOEXCEPT;
/** The bytes of the file that kindred_vocabulary_save writes. */
KINDRED_API kindred_status kindred_vocabulary_to_bytes(const kindred_vocabulary* vocabulary,
                                                       kindred_string** bytes) KINDRED_NOEXCEPT;

/* ---- Sequences: exact search for the most similar ones, and pairs ---- */

/* Similarity measures. */
enum {
  KINDRED_LCS = 0,
  KINDRED_DIFFLIB = 1,
  KINDRED_LEVENSHTEIN = 2,
  KINDRED_OSA = 3,
  KINDRED_PREFIX = 4,
  KINDRED_POSTFIX = 5,
  KINDRED_JARO_WINKLER = 6,
  KINDRED_TOKEN_SORT = 7,
  KINDRED_TOKEN_SET = 8
};
/* Whether queries may use an inverted index of the patterns. */
enum { KINDRED_POSTINGS_AUTOMATIC = 0, KINDRED_POSTINGS_NEVER = 1, KINDRED_POSTINGS_ALWAYS = 2 };
/* How similar pairs form clusters. */
enum { KINDRED_LINKAGE_SINGLE = 0, KINDRED_LINKAGE_COMPLETE = 1 };
/* What kindred_matcher_score_all writes for a pair: the similarity; a number of edits if the
 * measure counts them, else 1 - similarity; RapidFuzz's ratio: 100 * (1 - edits / the most
 * possible), else 100 * similarity; of two empty sequences 100, under KINDRED_TOKEN_SET 0. */
enum { KINDRED_SIMILARITY = 0, KINDRED_DISTANCE = 1, KINDRED_PERCENTAGE = 2 };

/** A borrowed list of sequences: of texts in UTF-8, whose symbols are their code points, or of
 * symbols, with `offsets` or, of one sequence, its `length`. */
typedef struct kindred_sequences {
  size_t struct_size;
  uint64_t count;            /* number of sequences */
  const kindred_text* texts; /* NULL: `symbols` are given */
  const uint32_t* symbols;   /* of all sequences, one after the other */
  const uint64_t* offsets;   /* count + 1: sequence i is symbols[offsets[i] ... offsets[i + 1]] */
  uint64_t length; /* of the only sequence, without `offsets`; KINDRED_UNSET: there are texts or
                      offsets */
} kindred_sequences;
#define KINDRED_SEQUENCES_INIT \
  { sizeof(kindred_sequences), 0, NULL, NULL, NULL, KINDRED_UNSET }

/** Two different items whose similarity reaches a threshold. */
typedef struct kindred_similar_pair {
  uint64_t first;
  uint64_t second;
  double similarity; /* in [0, 1] */
} kindred_similar_pair;

/** Properties of a measure. */
typedef struct kindred_measure_info {
  size_t struct_size;
  const char* name;       /* as the command line accepts it; valid while the process lives */
  int32_t counts_edits;   /* 1: distances are numbers of edits; 0: 1 - similarity */
  int32_t compares_words; /* 1: symbols are code points, and sequences are split into words */
} kindred_measure_info;
#define KINDRED_MEASURE_INFO_INIT \
  { sizeof(kindred_measure_info), NULL, 0, 0 }

/** Options of a match. */
typedef struct kindred_match_options {
  size_t struct_size;
  uint64_t top;     /* maximum number of results per query */
  double threshold; /* minimum similarity, in [0, 1]; 0 returns everything */
  int32_t measure;
  int32_t blocks;         /* nonzero: also return the matching blocks */
  int32_t autojunk;       /* nonzero: Python's heuristic, only for KINDRED_DIFFLIB */
  int32_t postings;       /* KINDRED_POSTINGS_... */
  int32_t space;          /* KINDRED_SPACE_... */
  int32_t reserved;       /* 0 */
  const uint64_t* filter; /* only the sequences or patterns of these indices are results, in any
                             order; a repeated one counts once */
  uint64_t filter_size;   /* 0: none; KINDRED_UNSET: all are allowed, and `filter` is NULL */
} kindred_match_options;
#define KINDRED_MATCH_OPTIONS_INIT                                                         \
  {                                                                                        \
    sizeof(kindred_match_options), 10, 0.1, KINDRED_LCS, 0, 0, KINDRED_POSTINGS_AUTOMATIC, \
        KINDRED_SPACE_ANY, 0, NULL, KINDRED_UNSET                                          \
  }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_match_options_init(kindred_match_options* options,
                                                      size_t struct_size) KINDRED_NOEXCEPT;

/** Options of kindred_matcher_score_all. */
typedef struct kindred_pair_options {
  size_t struct_size;
  double cutoff; /* a similarity below it is 0; a number of edits above it is cutoff + 1, another
                    distance above it 1; in [0, 1], for percentages in [0, 100], for numbers of
                    edits a whole number; negative: no cutoff */
  int32_t measure;
  int32_t value;    /* KINDRED_SIMILARITY, KINDRED_DISTANCE or KINDRED_PERCENTAGE */
  int32_t autojunk; /* nonzero: Python's heuristic, only for KINDRED_DIFFLIB */
  int32_t space;    /* KINDRED_SPACE_... */
} kindred_pair_options;
#define KINDRED_PAIR_OPTIONS_INIT \
  { sizeof(kindred_pair_options), -1.0, KINDRED_LCS, KINDRED_SIMILARITY, 0, KINDRED_SPACE_ANY }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_pair_options_init(kindred_pair_options* options,
                                                     size_t struct_size) KINDRED_NOEXCEPT;

/** The size of a matcher. */
typedef struct kindred_matcher_statistics {
  size_t struct_size;
  uint64_t patterns;
  uint64_t host_bytes;   /* in the memory of the host */
  uint64_t device_bytes; /* in that of the device */
} kindred_matcher_statistics;
#define KINDRED_MATCHER_STATISTICS_INIT \
  { sizeof(kindred_matcher_statistics), 0, 0, 0 }

/** The arrays of clusters, which live as long as the handle. */
typedef struct kindred_clusters_view {
  size_t struct_size;
  uint64_t items;
  uint64_t clusters;
  const uint64_t* cluster_of;      /* of every item */
  const uint64_t* representatives; /* of every cluster: the most central member */
  const uint64_t* offsets;         /* clusters + 1 */
  const uint64_t* members;         /* of every cluster, ascending */
  const kindred_record* record;    /* where the longest scan ran */
} kindred_clusters_view;
#define KINDRED_CLUSTERS_VIEW_INIT \
  { sizeof(kindred_clusters_view), 0, 0, NULL, NULL, NULL, NULL, NULL }

/** Receives the results of a group of stored sequences: row r lists the sequences before `first +
 * r` that match it. The results are valid during the callback, and must not be destroyed; nonzero
 * cancels. */
typedef int (*kindred_match_callback)(void* user, uint64_t first, const kindred_results* results);

/** Describes a measure. */
KINDRED_API kindred_status kindred_measure_describe(int32_t measure,
                                                    kindred_measure_info* info) KINDRED_NOEXCEPT;
/** The distance that belongs to a number of matched symbols. KINDRED_INVALID for a measure that
 * does not count edits, and for more matched symbols than a sequence has. */
KINDRED_API kindred_status kindred_distance(int32_t measure, uint64_t matched,
                                            uint64_t pattern_size, uint64_t query_size,
                                            uint64_t* distance) KINDRED_NOEXCEPT;
/** The code points of a text in UTF-8: its symbols where characters are compared.
 * KINDRED_INVALID, with the position, for bytes that are not valid UTF-8.
 *  @param keep nonzero: such a byte becomes the symbol 0x110000 + byte instead
 *  @param code_points at most `capacity` are written
 *  @param count their number; if it exceeds `capacity`, the call fails with KINDRED_INVALID, and
 * sets only this */
KINDRED_API kindred_status kindred_code_points(const char* text, size_t size, int32_t keep,
                                               uint32_t* code_points, size_t capacity,
                                               size_t* count) KINDRED_NOEXCEPT;
/** The similarity of two sequences if it is at least `cutoff`, otherwise 0.
 *  @param autojunk nonzero: Python's heuristic, only for KINDRED_DIFFLIB */
KINDRED_API kindred_status kindred_similarity(int32_t measure, const kindred_sequences* pattern,
                                              const kindred_sequences* query, double cutoff,
                                              int32_t autojunk,
                                              double* similarity) KINDRED_NOEXCEPT;
/** Number of matched symbols of two sequences. */
KINDRED_API kindred_status kindred_matched(int32_t measure, const kindred_sequences* pattern,
                                           const kindred_sequences* query, int32_t autojunk,
                                           uint32_t* matched) KINDRED_NOEXCEPT;
/** The matching blocks of two sequences; other measures than KINDRED_LCS and KINDRED_DIFFLIB may
 * have none.
 *  @param blocks at most `capacity` are written
 *  @param count number of blocks; if it exceeds `capacity`, the call fails with KINDRED_INVALID,
 * and sets only this */
KINDRED_API kindred_status kindred_blocks(int32_t measure, const kindred_sequences* pattern,
                                          const kindred_sequences* query, int32_t autojunk,
                                          kindred_block* blocks, size_t capacity,
                                          size_t* count) KINDRED_NOEXCEPT;
/** The clusters of items of which some pairs are similar. KINDRED_INVALID for a pair of an item
 * with itself, an item that is not below `items`, a similarity out of range and a pair that
 * occurs twice.
 *  @param items number of items */
KINDRED_API kindred_status kindred_cluster_pairs(uint64_t items, const kindred_similar_pair* pairs,
                                                 size_t count, int32_t linkage,
                                                 kindred_clusters** clusters) KINDRED_NOEXCEPT;

/** Prepares a query, which is copied, for comparisons on the calling thread. */
KINDRED_API kindred_status kindred_query_create(int32_t measure, const kindred_sequences* sequence,
                                                int32_t autojunk,
                                                kindred_query** query) KINDRED_NOEXCEPT;
/** Frees a handle. */
KINDRED_API kindred_status kindred_query_destroy(KINDRED_OPTIONAL kindred_query* query)
    KINDRED_NOEXCEPT;
/** The similarity of every pattern if it is at least `cutoff`, otherwise 0. Several patterns are
 * compared together: that takes less time than a call per pattern, least if the query has at
 * most 64 symbols.
 *  @param similarities one per pattern */
KINDRED_API kindred_status kindred_query_similarity(const kindred_query* query,
                                                    const kindred_sequences* patterns,
                                                    double cutoff,
                                                    double* similarities) KINDRED_NOEXCEPT;
/** The number of matched symbols. Several patterns are compared together, as by
 * kindred_query_similarity.
 *  @param matched one per pattern */
KINDRED_API kindred_status kindred_query_matched(const kindred_query* query,
                                                 const kindred_sequences* patterns,
                                                 uint32_t* matched) KINDRED_NOEXCEPT;
/** The matching blocks.
 *  @param blocks at most `capacity` are written
 *  @param count number of blocks; if it exceeds `capacity`, the call fails with KINDRED_INVALID,
 * and sets only this */
KINDRED_API kindred_status kindred_query_blocks(const kindred_query* query,
                                                const kindred_sequences* pattern,
                                                kindred_block* blocks, size_t capacity,
                                                size_t* count) KINDRED_NOEXCEPT;

/** Stores sequences, which are copied. */
KINDRED_API kindred_status kindred_matcher_create(kindred_context* context,
                                                  const kindred_sequences* patterns,
                                                  int32_t residency,
                                                  kindred_matcher** matcher) KINDRED_NOEXCEPT;
/** Frees a handle. */
KINDRED_API kindred_status kindred_matcher_destroy(KINDRED_OPTIONAL kindred_matcher* matcher)
    KINDRED_NOEXCEPT;
/** The number of patterns, and their bytes in the memory of host and device. */
KINDRED_API kindred_status kindred_matcher_get_statistics(
    const kindred_matcher* matcher, kindred_matcher_statistics* statistics) KINDRED_NOEXCEPT;
/** The best patterns of every query. KINDRED_INVALID also for an index in `filter` that does not
 * exist. */
KINDRED_API kindred_status
kindred_matcher_match(const kindred_matcher* matcher, const kindred_sequences* queries,
                      KINDRED_OPTIONAL const kindred_match_options* options,
                      kindred_results** results) KINDRED_NOEXCEPT;
/** Writes the similarity or the distance of every query and every stored sequence, in input
 * order.
 *  @param out queries * sequences, where there may be gaps between rows, or one row of all;
 * float32 or float64, for numbers of edits also int32 or uint8, in which a larger number is the
 * largest of the type; on the host, or on the device if the sequences are there */
KINDRED_API kindred_status
kindred_matcher_score_all(const kindred_matcher* matcher, const kindred_sequences* queries,
                          KINDRED_OPTIONAL const kindred_pair_options* options, DLTensor* out,
                          KINDRED_OPTIONAL kindred_record* record) KINDRED_NOEXCEPT;
/** Finds duplicates: scores every pair of stored sequences once, and calls `answer` with groups
 * of results. KINDRED_INVALID if `filter` is set; KINDRED_CANCELLED. */
KINDRED_API kindred_status kindred_matcher_match_self(
    const kindred_matcher* matcher, KINDRED_OPTIONAL const kindred_match_options* options,
    kindred_match_callback answer, KINDRED_OPTIONAL void* user) KINDRED_NOEXCEPT;
/** Clusters of similar patterns.
 *  @param options of the comparison, of which `top` and `blocks` have no effect; `filter` must
 * not be set; NULL: threshold 0.85 */
KINDRED_API kindred_status
kindred_matcher_cluster(const kindred_matcher* matcher, int32_t linkage,
                        KINDRED_OPTIONAL const kindred_match_options* options,
                        kindred_clusters** clusters) KINDRED_NOEXCEPT;

/** Frees a handle. */
KINDRED_API kindred_status kindred_clusters_destroy(KINDRED_OPTIONAL kindred_clusters* clusters)
    KINDRED_NOEXCEPT;
/** The arrays of clusters. */
KINDRED_API kindred_status kindred_clusters_get(const kindred_clusters* clusters,
                                                kindred_clusters_view* view) KINDRED_NOEXCEPT;

/* ---- Predictions, and patterns as they are stored ---- */

/* The field by which predictions are ranked, greater first; the last four need weights. */
enum {
  KINDRED_RANK_POTENTIAL = 0,
  KINDRED_RANK_SIMILARITY = 1,
  KINDRED_RANK_EVIDENCE = 2,
  KINDRED_RANK_CONFIDENCE = 3,
  KINDRED_RANK_SNR = 4,
  KINDRED_RANK_FRAGMENTATION = 5,
  KINDRED_RANK_FREQUENCY = 6,
  KINDRED_RANK_NORMALIZED_ENTROPY = 7,
  KINDRED_RANK_GLOBAL_NORMALIZED_ENTROPY = 8,
  KINDRED_RANK_ITFDF_SIMILARITY = 9,
  KINDRED_RANK_CONFLUENCE = 10,
  KINDRED_RANK_PREDICTIVE_INFORMATION = 11,
  KINDRED_RANK_BAYESIAN_POSTERIOR = 12,
  KINDRED_RANK_BAYESIAN_PRIOR = 13,
  KINDRED_RANK_BAYESIAN_LIKELIHOOD = 14,
  KINDRED_RANK_TFIDF_SCORE = 15,
  KINDRED_RANK_WEIGHTED_SIMILARITY = 16,
  KINDRED_RANK_WEIGHTED_EVIDENCE = 17,
  KINDRED_RANK_WEIGHTED_CONFIDENCE = 18,
  KINDRED_RANK_WEIGHTED_SNR = 19
};
/* The lists of texts of a prediction. That of matches is one event: the query's symbols that were
 * found. */
enum {
  KINDRED_TEXTS_MATCHES = 0,
  KINDRED_TEXTS_PAST = 1,
  KINDRED_TEXTS_PRESENT = 2,
  KINDRED_TEXTS_FUTURE = 3,
  KINDRED_TEXTS_MISSING = 4,
  KINDRED_TEXTS_EXTRAS = 5
};

/** Options of predictions. */
typedef struct kindred_prediction_options {
  size_t struct_size;
  uint64_t top;                 /* maximum number of predictions */
  double threshold;             /* candidates below it are skipped, in [0, 1] */
  double fuzzy_token_threshold; /* if above 0: minimum similarity of texts that are spellings of the
                                   same symbol */
  const double* weights;        /* one per symbol, in [0, 1e100]; NULL: no weighted fields */
  uint64_t weights_size;
  int32_t rank_by; /* KINDRED_RANK_... */
  int32_t
      single_symbol_fast_path; /* nonzero: process a query of one symbol as KATO's fast path does */
  int32_t threads;             /* maximum number of host threads; 0: all threads of the context */
  int32_t reserved;            /* 0 */
} kindred_prediction_options;
#define KINDRED_PREDICTION_OPTIONS_INIT \
  { sizeof(kindred_prediction_options), 100, 0.1, 0.0, NULL, 0, KINDRED_RANK_POTENTIAL, 0, 0, 0 }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_prediction_options_init(kindred_prediction_options* options,
                                                           size_t struct_size) KINDRED_NOEXCEPT;

/** The texts of some events. Event i has the texts offsets[i] ... offsets[i + 1]. */
typedef struct kindred_event_texts {
  uint64_t events;
  const uint64_t* offsets;   /* events + 1 */
  const kindred_text* texts; /* of all events */
} kindred_event_texts;

/** An observed symbol that was treated as a misspelling of an expected one. */
typedef struct kindred_anomaly {
  kindred_text observed;
  kindred_text expected;
  double similarity;
} kindred_anomaly;

/** A prediction. Its name and its arrays live as long as the handle. */
typedef struct kindred_prediction {
  size_t struct_size;
  uint64_t index;
  uint64_t frequency;
  const char* name;
  uint64_t name_size;
  uint32_t matched;
  int32_t flat; /* 1: of the fast path, whose lists have no boundaries of events */
  uint64_t anomaly_count;
  const kindred_anomaly* anomalies; /* misspelled symbols */
  uint64_t block_count;
  const kindred_block* blocks; /* Ratcliff-Obershelp's, over the symbols of pattern and query */
  const kindred_event_texts* texts; /* six lists, by KINDRED_TEXTS_... */
  double evidence;
  double confidence;
  double similarity;
  double fragmentation;
  double snr;
  double entropy;
  double normalized_entropy;
  double global_normalized_entropy;
  double confluence;
  double tfidf_score;
  double itfdf_similarity;
  double bayesian_prior;
  double bayesian_likelihood;
  double bayesian_posterior;
  double predictive_information;
  double potential;
  double weighted_similarity; /* NaN without weights, as the following */
  double weighted_evidence;
  double weighted_confidence;
  double weighted_snr;
} kindred_prediction;
#define KINDRED_PREDICTION_INIT                                                                   \
  {                                                                                               \
    sizeof(kindred_prediction), 0, 0, NULL, 0, 0, 0, 0, NULL, 0, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, \
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0                                                     \
  }

/** A pattern; its name and its arrays live as long as the handle. */
typedef struct kindred_pattern_view {
  size_t struct_size;
  uint64_t index;
  uint64_t frequency;
  const char* name; /* NULL: the pattern has no name */
  uint64_t name_size;
  uint64_t events;
  const uint64_t* offsets; /* events + 1 */
  const uint32_t* symbols;
} kindred_pattern_view;
#define KINDRED_PATTERN_VIEW_INIT \
  { sizeof(kindred_pattern_view), 0, 0, NULL, 0, 0, NULL, NULL }

/** A pattern from which predictions are made. */
typedef struct kindred_candidate {
  uint64_t index; /* of the pattern; unique among the candidates */
  uint64_t frequency;
  double similarity;
  uint32_t matched; /* symbols; passed to the prediction */
  uint32_t reserved;
} kindred_candidate;

/** Candidates with their events, and statistics of all patterns. */
typedef struct kindred_candidates {
  size_t struct_size;
  uint64_t count;
  const kindred_candidate* candidates;
  const uint64_t* patterns; /* offsets of the events: count + 1 elements, of which candidate i has
                               patterns[i] ... patterns[i + 1] */
  const uint64_t* offsets;  /* offsets of the symbols of the events: patterns[count] + 1 elements */
  const uint32_t* symbols;  /* numbers of texts of the predictor */
  const kindred_text* names;     /* one per candidate; NULL: empty ones */
  uint64_t all_patterns;         /* number of all patterns */
  uint64_t total_frequency;      /* of all patterns */
  const uint64_t* patterns_with; /* by symbol: number of the patterns that contain it; symbols
                                    beyond the end: in no pattern */
  uint64_t patterns_with_size;
} kindred_candidates;
#define KINDRED_CANDIDATES_INIT \
  { sizeof(kindred_candidates), 0, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, 0 }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_candidates_init(kindred_candidates* candidates,
                                                   size_t struct_size) KINDRED_NOEXCEPT;

/** Name of a field, such as `potential`; NULL for another number. Valid while the process lives. */
KINDRED_API const char* kindred_rank_name(int32_t rank_by) KINDRED_NOEXCEPT;
/** The field of a name. KINDRED_INVALID for another name; the message lists all. */
KINDRED_API kindred_status kindred_rank_parse(const char* name, size_t size,
                                              int32_t* rank_by) KINDRED_NOEXCEPT;
/** The weights of symbols, for the options of predictions: |affinity| / frequency + 0.01, or
 * 0.01 if either is 0.
 *  @param affinities one per symbol
 *  @param frequencies as of kindred_memory_symbol_frequencies; symbols beyond the end have 0
 *  @param weights count elements */
KINDRED_API kindred_status kindred_affinity_weights(const double* affinities, size_t count,
                                                    const uint64_t* frequencies,
                                                    size_t frequency_count,
                                                    double* weights) KINDRED_NOEXCEPT;
/** The similarity that candidates of a query must have: that of the options, or 0 if the fast
 * path applies.
 *  @param symbols of the query */
KINDRED_API kindred_status
kindred_candidate_threshold(KINDRED_OPTIONAL const kindred_prediction_options* options,
                            uint64_t symbols, double* threshold) KINDRED_NOEXCEPT;

/** Frees a handle. */
KINDRED_API kindred_status kindred_pattern_destroy(KINDRED_OPTIONAL kindred_pattern* pattern)
    KINDRED_NOEXCEPT;
/** The contents of a pattern. */
KINDRED_API kindred_status kindred_pattern_get(const kindred_pattern* pattern,
                                               kindred_pattern_view* view) KINDRED_NOEXCEPT;

/** Frees a handle. */
KINDRED_API kindred_status
kindred_predictions_destroy(KINDRED_OPTIONAL kindred_predictions* predictions) KINDRED_NOEXCEPT;
/** Number of predictions. */
KINDRED_API kindred_status kindred_predictions_size(const kindred_predictions* predictions,
                                                    size_t* size) KINDRED_NOEXCEPT;
/** A prediction; position 0 is the best. */
KINDRED_API kindred_status kindred_predictions_get(const kindred_predictions* predictions,
                                                   size_t position,
                                                   kindred_prediction* prediction) KINDRED_NOEXCEPT;

/** Creates the object that makes predictions from patterns of another store.
 *  @param texts text i is that of symbol i. KINDRED_INVALID for one that occurs twice */
KINDRED_API kindred_status kindred_predictor_create(kindred_context* context,
                                                    const kindred_text* texts, size_t count,
                                                    kindred_predictor** predictor) KINDRED_NOEXCEPT;
/** Frees a handle. */
KINDRED_API kindred_status kindred_predictor_destroy(KINDRED_OPTIONAL kindred_predictor* predictor)
    KINDRED_NOEXCEPT;
/** Adds the new ones of some texts; their numbers follow those before. May run concurrently with
 * predictions. */
KINDRED_API kindred_status kindred_predictor_add(kindred_predictor* predictor,
                                                 const kindred_text* texts,
                                                 size_t count) KINDRED_NOEXCEPT;
/** Predictions from candidates, as kindred_memory_predict makes them from its patterns; the
 * order of the candidates changes nothing. KINDRED_INVALID for a symbol without a text. */
KINDRED_API kindred_status kindred_predictor_predict(
    const kindred_predictor* predictor, const kindred_text* texts, const uint64_t* offsets,
    size_t events, const kindred_candidates* candidates,
    KINDRED_OPTIONAL const kindred_prediction_options* options,
    kindred_predictions** predictions) KINDRED_NOEXCEPT;

/* ---- PatternMemory: named event sequences, learned and forgotten during searches ---- */

/* The unit that a symbol stands for: a text of an event, or a code point of the texts of all
 * events, joined by spaces. A call at another level than that of the memory stores all patterns at
 * that level too. */
enum { KINDRED_LEVEL_OF_MEMORY = -1, KINDRED_LEVEL_TOKEN = 0, KINDRED_LEVEL_CHARACTER = 1 };
/* The cause of a synchronisation. */
enum {
  KINDRED_SYNC_THRESHOLD = 0,
  KINDRED_SYNC_INTERVAL = 1,
  KINDRED_SYNC_MANUAL = 2,
  KINDRED_SYNC_TRAINING = 3
};

/** How a memory keeps its patterns, and the level. Results depend only on the level. */
typedef struct kindred_memory_options {
  size_t struct_size;
  int32_t level;            /* KINDRED_LEVEL_TOKEN or KINDRED_LEVEL_CHARACTER */
  int32_t enabled;          /* the bulk tier may be on the device */
  int32_t fallback_to_host; /* run on the host without a usable device */
  int32_t background_sync;
  double min_compute_capability; /* devices below it are not used */
  uint64_t max_pattern_length;   /* longer patterns stay on the host; 0: no limit */
  double memory_fraction;        /* share of the device's budget for the bulk tier */
  double growth_fraction;        /* part of that share that is kept free */
  uint64_t max_bulk_patterns;    /* KINDRED_UNSET: no limit */
  uint64_t sync_threshold;       /* recent patterns that trigger a synchronisation */
  double sync_interval_seconds;  /* between background synchronisations */
  int32_t log_memory_usage;
  int32_t log_kernel_timing;
} kindred_memory_options;
#define KINDRED_MEMORY_OPTIONS_INIT                                                                \
  {                                                                                                \
    sizeof(kindred_memory_options), KINDRED_LEVEL_TOKEN, 1, 1, 1, 7.0, 0, 0.6, 0.2, KINDRED_UNSET, \
        1000, 300, 1, 0                                                                            \
  }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_memory_options_init(kindred_memory_options* options,
                                                       size_t struct_size) KINDRED_NOEXCEPT;

/** The outcome of learning a pattern. */
typedef struct kindred_learned {
  uint64_t index;
  uint64_t frequency;
  int32_t is_new;
  int32_t reserved;
} kindred_learned;

/** Patterns to learn: of texts, of numbers of texts in a dictionary, each of which is looked up
 * once, or of symbols of the memory. */
typedef struct kindred_patterns {
  size_t struct_size;
  uint64_t count;           /* number of patterns */
  const uint64_t* patterns; /* offsets of the events: count + 1 elements; pattern p has the events
                               patterns[p] ... patterns[p + 1] */
  const uint64_t* offsets;  /* offsets of the symbols of the events: patterns[count] + 1 elements */
  const kindred_text* texts; /* of all events; those of event e are texts[offsets[e] ... offsets[e +
                                1]); NULL: `symbols` are given */
  const uint32_t* symbols;   /* of all events, instead of texts: number n stands for dictionary[n],
                                whatever its symbol is */
  const kindred_text* dictionary; /* NULL: `symbols` are those of the memory; texts that no pattern
                                     has are not added */
  uint64_t dictionary_size;
  const kindred_text*
      names; /* one per pattern, of new patterns; one without `data`: none; NULL: none for all */
  const uint64_t* times; /* one per pattern: number of occurrences, at least 1; NULL: one each */
} kindred_patterns;
#define KINDRED_PATTERNS_INIT \
  { sizeof(kindred_patterns), 0, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_patterns_init(kindred_patterns* patterns,
                                                 size_t struct_size) KINDRED_NOEXCEPT;

/** The outcome of a synchronisation. */
typedef struct kindred_sync_record {
  size_t struct_size;
  uint64_t moved; /* patterns */
  uint64_t left;  /* patterns that stay in the recent tier, where they are found, too */
  double seconds;
  int32_t trigger; /* KINDRED_SYNC_... */
  int32_t reserved;
  char why_left[256]; /* empty if nothing was left; longer reasons are cut */
} kindred_sync_record;
#define KINDRED_SYNC_RECORD_INIT                      \
  {                                                   \
    sizeof(kindred_sync_record), 0, 0, 0, 0, 0, { 0 } \
  }

/** Size of a memory. */
typedef struct kindred_memory_statistics {
  size_t struct_size;
  uint64_t patterns;
  uint64_t learned; /* patterns ever learned; also the next index */
  uint64_t total_frequency;
  uint64_t bulk;
  uint64_t recent;
  uint64_t segments;
  uint64_t queries;
  uint64_t bytes[3]; /* in the memory of each space */
  uint64_t syncs[4]; /* synchronisations by their trigger */
  uint64_t patterns_synced;
  uint64_t incomplete; /* synchronisations that left patterns behind */
  int32_t background;  /* 1: the background thread runs */
  int32_t training;
} kindred_memory_statistics;
#define KINDRED_MEMORY_STATISTICS_INIT \
  { sizeof(kindred_memory_statistics), 0, 0, 0, 0, 0, 0, 0, {0, 0, 0}, {0, 0, 0, 0}, 0, 0, 0, 0 }

/** The contents of a file of a memory. */
typedef struct kindred_memory_file_info {
  size_t struct_size;
  uint64_t patterns;
  uint64_t learned;
  uint64_t total_frequency;
  uint64_t symbols;
  uint64_t vocabulary;
  uint64_t segments;
  uint64_t bulk;
  uint64_t commits;
  uint64_t bytes;
  uint64_t uncommitted_bytes;
} kindred_memory_file_info;
#define KINDRED_MEMORY_FILE_INFO_INIT \
  { sizeof(kindred_memory_file_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/** Creates an empty memory. */
KINDRED_API kindred_status kindred_memory_create(
    kindred_context* context, KINDRED_OPTIONAL const kindred_memory_options* options,
    kindred_memory** memory) KINDRED_NOEXCEPT;
/** Maps a file that kindred_memory_save and kindred_memory_append have written, and validates
 * every byte. KINDRED_NOT_FOUND: there is no such file. KINDRED_CORRUPT: it is damaged; nothing
 * of it is used. */
KINDRED_API kindred_status
kindred_memory_load(kindred_context* context, const char* path,
                    KINDRED_OPTIONAL const kindred_memory_options* options,
                    kindred_memory** memory) KINDRED_NOEXCEPT;
/** A memory of the bytes of kindred_memory_to_bytes, or of a file of kindred_memory_save, which
 * are copied. KINDRED_CORRUPT: the bytes are damaged; nothing of them is used. */
KINDRED_API kindred_status
kindred_memory_from_bytes(kindred_context* context, const uint8_t* bytes, size_t size,
                          KINDRED_OPTIONAL const kindred_memory_options* options,
                          kindred_memory** memory) KINDRED_NOEXCEPT;
/** Frees a handle. */
KINDRED_API kindred_status kindred_memory_destroy(KINDRED_OPTIONAL kindred_memory* memory)
    KINDRED_NOEXCEPT;
/** Validates every byte of a file, and describes its contents. KINDRED_NOT_FOUND: there is no
 * such file. KINDRED_CORRUPT: it is damaged.
 *  @param threads maximum number of threads; 0: all of the machine */
KINDRED_API kindred_status kindred_memory_inspect(const char* path, int32_t threads,
                                                  kindred_memory_file_info* info) KINDRED_NOEXCEPT;
/** The level and the settings of a memory. */
KINDRED_API kindred_status kindred_memory_settings(
    const kindred_memory* memory, kindred_memory_options* options) KINDRED_NOEXCEPT;
/** Writes the memory to a file, atomically: the file at `path` is the old or the new one. What
 * other threads learn during the call is written by the next kindred_memory_append. KINDRED_BUSY
 * while another process writes the file. */
KINDRED_API kindred_status kindred_memory_save(kindred_memory* memory,
                                               const char* path) KINDRED_NOEXCEPT;
/** Appends everything learned, repeated and forgotten since the last save, append or load to
 * that file, whose path is `path`. KINDRED_INVALID if nothing was saved or loaded, or the file
 * has changed since; KINDRED_NOT_FOUND, KINDRED_CORRUPT, KINDRED_BUSY. */
KINDRED_API kindred_status kindred_memory_append(kindred_memory* memory,
                                                 const char* path) KINDRED_NOEXCEPT;
/** The bytes of the file that kindred_memory_save would write now. The next
 * kindred_memory_append is not affected. */
KINDRED_API kindred_status kindred_memory_to_bytes(const kindred_memory* memory,
                                                   kindred_string** bytes) KINDRED_NOEXCEPT;
/** Learns a pattern, or increases the frequency of a known one, which keeps its first name.
 * KINDRED_INVALID for a name of a pattern with other events, for a symbol that is not valid
 * UTF-8 if characters are compared, and if the sum of all frequencies would exceed 2^63.
 *  @param texts the texts of all events; those of event i are texts[offsets[i] ... offsets[i +
 * 1])
 *  @param events number of events
 *  @param name of a new pattern; NULL: none
 *  @param times number of occurrences, at least 1 */
KINDRED_API kindred_status
kindred_memory_learn(kindred_memory* memory, const kindred_text* texts, const uint64_t* offsets,
                     size_t events, KINDRED_OPTIONAL const char* name, size_t name_size,
                     uint64_t times, KINDRED_OPTIONAL kindred_learned* learned) KINDRED_NOEXCEPT;
/** Learns many patterns in one call, all or none, with the results of kindred_memory_learn in
 * their order. Much faster than single calls. KINDRED_INVALID also for a number that is not
 * below `dictionary_size`, or is no symbol of the memory.
 *  @param learned one per pattern */
KINDRED_API kindred_status
kindred_memory_learn_all(kindred_memory* memory, const kindred_patterns* patterns,
                         KINDRED_OPTIONAL kindred_learned* learned) KINDRED_NOEXCEPT;
/** Sets the `frequency` of the pattern `index`, at least 1. KINDRED_INVALID for 0, and if the
 * sum of all frequencies would exceed 2^63. KINDRED_NOT_FOUND: there is no such pattern. */
KINDRED_API kindred_status kindred_memory_set_frequency(kindred_memory* memory, uint64_t index,
                                                        uint64_t frequency) KINDRED_NOEXCEPT;
/** Forgets the pattern of an index or a name.
 *  @param name instead of the index; NULL: that of `index`
 *  @param existed 0 if there is no such pattern */
KINDRED_API kindred_status
kindred_memory_forget(kindred_memory* memory, uint64_t index, KINDRED_OPTIONAL const char* name,
                      size_t name_size, KINDRED_OPTIONAL int32_t* existed) KINDRED_NOEXCEPT;
/** Forgets all patterns. Their indices are not reused. The symbols and the settings stay; names
 * may be used again. */
KINDRED_API kindred_status kindred_memory_clear(kindred_memory* memory) KINDRED_NOEXCEPT;
/** The index of the pattern of each of the `names`, -1 where there is none, from one moment.
 *  @param indices count elements */
KINDRED_API kindred_status kindred_memory_find_names(const kindred_memory* memory,
                                                     const kindred_text* names, size_t count,
                                                     int64_t* indices) KINDRED_NOEXCEPT;
/** The names of the patterns `indices`, from one moment. There is none for a pattern that has no
 * name, was forgotten or was never learned.
 *  @param names one per index */
KINDRED_API kindred_status kindred_memory_names(const kindred_memory* memory,
                                                const uint64_t* indices, size_t count,
                                                kindred_strings** names) KINDRED_NOEXCEPT;
/** Index of the pattern with these events; -1 if there is none. */
KINDRED_API kindred_status kindred_memory_find_events(const kindred_memory* memory,
                                                      const kindred_text* texts,
                                                      const uint64_t* offsets, size_t events,
                                                      int64_t* index) KINDRED_NOEXCEPT;
/** How often a pattern was learned; 0 if it does not exist. */
KINDRED_API kindred_status kindred_memory_frequency(const kindred_memory* memory, uint64_t index,
                                                    uint64_t* frequency) KINDRED_NOEXCEPT;
/** The number of patterns that can be found. */
KINDRED_API kindred_status kindred_memory_size(const kindred_memory* memory,
                                               uint64_t* size) KINDRED_NOEXCEPT;
/** A copy of the pattern of an index. KINDRED_NOT_FOUND: there is no such pattern. */
KINDRED_API kindred_status kindred_memory_pattern(const kindred_memory* memory, uint64_t index,
                                                  kindred_pattern** pattern) KINDRED_NOEXCEPT;
/** The texts of symbols of the memory, valid while it lives. KINDRED_NOT_FOUND, with the
 * position.
 *  @param texts count elements */
KINDRED_API kindred_status kindred_memory_decode(const kindred_memory* memory,
                                                 const uint32_t* symbols, size_t count,
                                                 kindred_text* texts) KINDRED_NOEXCEPT;
/** A copy of the vocabulary of the memory, with the same numbers. */
KINDRED_API kindred_status kindred_memory_vocabulary(
    const kindred_memory* memory, kindred_vocabulary** vocabulary) KINDRED_NOEXCEPT;
/** How often each symbol was learned, by its number.
 *  @param symbol_frequencies at most `capacity` are written
 *  @param count number of symbols; if it exceeds `capacity`, the call fails with
 * KINDRED_INVALID, and sets only this */
KINDRED_API kindred_status kindred_memory_symbol_frequencies(const kindred_memory* memory,
                                                             uint64_t* symbol_frequencies,
                                                             size_t capacity,
                                                             size_t* count) KINDRED_NOEXCEPT;
/** Queries as symbols, for many calls of kindred_memory_match at the same level; a text that was
 * never learned matches nothing.
 *  @param level KINDRED_LEVEL_...
 *  @param symbols at most `capacity` are written
 *  @param count number of symbols; if it exceeds `capacity`, the call fails with
 * KINDRED_INVALID, and sets only this */
KINDRED_API kindred_status kindred_memory_encode(const kindred_memory* memory,
                                                 const kindred_text* texts, const uint64_t* offsets,
                                                 size_t events, int32_t level, uint32_t* symbols,
                                                 size_t capacity, size_t* count) KINDRED_NOEXCEPT;
/** The best patterns of every query: `ids` are their indices. In `options->filter`, forgotten
 * patterns are skipped; KINDRED_INVALID for an index that was never assigned.
 *  @param level KINDRED_LEVEL_..., at which the queries were encoded */
KINDRED_API kindred_status kindred_memory_match(
    const kindred_memory* memory, const uint32_t* symbols, const uint64_t* offsets, size_t rows,
    int32_t level, KINDRED_OPTIONAL const kindred_match_options* options,
    kindred_results** results) KINDRED_NOEXCEPT;
/** Predictions from all patterns whose similarity to the query is at least `threshold`, best
 * first. KINDRED_INVALID also for a measure without blocks.
 *  @param level KINDRED_LEVEL_..., at which patterns are compared
 *  @param matching its measure, postings, space and `filter` are used
 *  @param record where the match ran */
KINDRED_API kindred_status kindred_memory_predict(
    const kindred_memory* memory, const kindred_text* texts, const uint64_t* offsets, size_t events,
    int32_t level, KINDRED_OPTIONAL const kindred_match_options* matching,
    KINDRED_OPTIONAL const kindred_prediction_options* options, kindred_predictions** predictions,
    KINDRED_OPTIONAL kindred_record* record) KINDRED_NOEXCEPT;
/** Moves recent patterns to the bulk tier, and merges small segments. Queries continue
 * meanwhile. */
KINDRED_API kindred_status kindred_memory_sync(
    kindred_memory* memory, KINDRED_OPTIONAL kindred_sync_record* record) KINDRED_NOEXCEPT;
/** Suspends automatic synchronisation. */
KINDRED_API kindred_status kindred_memory_begin_training(kindred_memory* memory) KINDRED_NOEXCEPT;
/** Resumes automatic synchronisation, and synchronises once. */
KINDRED_API kindred_status kindred_memory_end_training(
    kindred_memory* memory, KINDRED_OPTIONAL kindred_sync_record* record) KINDRED_NOEXCEPT;
/** Sizes and counts of what the memory holds. */
KINDRED_API kindred_status kindred_memory_get_statistics(
    const kindred_memory* memory, kindred_memory_statistics* statistics) KINDRED_NOEXCEPT;
/** The outcome of the last synchronisation; before the first one, KINDRED_SYNC_MANUAL with 0
 * moved patterns. */
KINDRED_API kindred_status kindred_memory_last_sync(const kindred_memory* memory,
                                                    kindred_sync_record* record) KINDRED_NOEXCEPT;

/* ---- VectorIndex: exact nearest neighbours ---- */

/* Similarity of vectors; l2 is the Euclidean distance, not its square: smaller is better. */
enum { KINDRED_COSINE = 0, KINDRED_IP = 1, KINDRED_L2 = 2 };
/* The element type of rows. */
enum {
  KINDRED_ELEMENT_FLOAT32 = 0,
  KINDRED_ELEMENT_FLOAT16 = 1,
  KINDRED_ELEMENT_BFLOAT16 = 2,
  KINDRED_ELEMENT_INT8 = 3
};
/* The path of a search; ANY: the fastest by prediction. All have the same results. */
enum {
  KINDRED_PATH_ANY = -1,
  KINDRED_PATH_BRUTE_FORCE = 0,
  KINDRED_PATH_QUANTIZED = 1,
  KINDRED_PATH_GEMM = 2
};

/** Options of an index. */
typedef struct kindred_index_options {
  size_t struct_size;
  int32_t residency;      /* KINDRED_RESIDENCY_... */
  int32_t quantized_copy; /* nonzero: a search may keep copies of the rows of fewer bytes */
} kindred_index_options;
#define KINDRED_INDEX_OPTIONS_INIT \
  { sizeof(kindred_index_options), KINDRED_RESIDENCY_AUTOMATIC, 1 }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_index_options_init(kindred_index_options* options,
                                                      size_t struct_size) KINDRED_NOEXCEPT;

/** Options of a search. */
typedef struct kindred_search_options {
  size_t struct_size;
  uint64_t top; /* maximum number of results per query; may exceed the number of rows */
  const uint8_t*
      filter; /* one byte per id: a row may be returned if it is nonzero; NULL: every row */
  uint64_t filter_size;
  const uint64_t* filter_bits; /* the same as bits, for all queries or one bitmap per query; not
                                  together with `filter` */
  uint64_t filter_bits_size;   /* words */
  int32_t metric;
  int32_t space;      /* instead of the dispatcher's choice */
  int32_t path;       /* instead of the fastest; the results are the same */
  int32_t has_stream; /* nonzero: `stream` orders a call on tensors on a device */
  void* stream;
} kindred_search_options;
#define KINDRED_SEARCH_OPTIONS_INIT                                                          \
  {                                                                                          \
    sizeof(kindred_search_options), 10, NULL, 0, NULL, 0, KINDRED_COSINE, KINDRED_SPACE_ANY, \
        KINDRED_PATH_ANY, 0, NULL                                                            \
  }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_search_options_init(kindred_search_options* options,
                                                       size_t struct_size) KINDRED_NOEXCEPT;

/** Options of kindred_index_score_all. */
typedef struct kindred_score_options {
  size_t struct_size;
  int32_t metric;
  int32_t space;      /* instead of the dispatcher's choice */
  int32_t has_stream; /* nonzero: `stream` orders a call on tensors on a device */
  int32_t reserved;   /* 0 */
  void* stream;
} kindred_score_options;
#define KINDRED_SCORE_OPTIONS_INIT \
  { sizeof(kindred_score_options), KINDRED_COSINE, KINDRED_SPACE_ANY, 0, 0, NULL }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_score_options_init(kindred_score_options* options,
                                                      size_t struct_size) KINDRED_NOEXCEPT;

/** The contents of an index. */
typedef struct kindred_index_statistics {
  size_t struct_size;
  uint64_t rows;   /* that can be found */
  uint64_t end_id; /* all ids below it have been assigned */
  uint64_t dimension;
  uint64_t removed; /* rows that were removed or replaced and still occupy memory */
  uint64_t segments;
  uint64_t host_bytes;
  uint64_t device_bytes;
  uint64_t quantized_bytes;
  int32_t element; /* KINDRED_ELEMENT_... */
  int32_t reserved;
} kindred_index_statistics;
#define KINDRED_INDEX_STATISTICS_INIT \
  { sizeof(kindred_index_statistics), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/** Builds an index of rows, which are copied; their ids are 0, 1, ...
 *  @param rows [count, dimension] of float32, float16, bfloat16, or int8 with `scales`; count
 * may be 0
 *  @param scales float32 [count], for int8 only: element v of a row of scale s is float32(s * v) */
KINDRED_API kindred_status kindred_index_create(
    kindred_context* context, const DLTensor* rows, KINDRED_OPTIONAL const DLTensor* scales,
    KINDRED_OPTIONAL const kindred_index_options* options, kindred_index** index) KINDRED_NOEXCEPT;
/** Maps a file of kindred_index_save or of `kindred build`, which is only read, and validates
 * every byte. KINDRED_NOT_FOUND: there is no such file. KINDRED_CORRUPT: it is damaged; nothing
 * of it is used.
 *  @param threads number of threads that validate the file; 0: all of the machine */
KINDRED_API kindred_status kindred_index_load(kindred_context* context, const char* path,
                                              KINDRED_OPTIONAL const kindred_index_options* options,
                                              int32_t threads,
                                              kindred_index** index) KINDRED_NOEXCEPT;
/** An index of the bytes of kindred_index_to_bytes, or of a file of kindred_index_save, which
 * are copied. KINDRED_CORRUPT: the bytes are damaged; nothing of them is used.
 *  @param threads maximum number of threads; 0: all of the machine */
KINDRED_API kindred_status
kindred_index_from_bytes(kindred_context* context, const uint8_t* bytes, size_t size,
                         KINDRED_OPTIONAL const kindred_index_options* options, int32_t threads,
                         kindred_index** index) KINDRED_NOEXCEPT;
/** Frees a handle. */
KINDRED_API kindred_status kindred_index_destroy(KINDRED_OPTIONAL kindred_index* index)
    KINDRED_NOEXCEPT;
/** Adds rows of the element type and dimension of the index. If it fails, the index is
 * unchanged. To build an index of rows on a device, create it with the shape [0, dimension] and
 * add them.
 *  @param rows [count, dimension]; there may be gaps between rows; on the host or, except int8,
 * on a device
 *  @param scales float32 [count], of rows of int8
 *  @param first_id id of the first new row */
KINDRED_API kindred_status kindred_index_add(kindred_index* index, const DLTensor* rows,
                                             KINDRED_OPTIONAL const DLTensor* scales,
                                             KINDRED_OPTIONAL uint64_t* first_id) KINDRED_NOEXCEPT;
/** Removes rows; their ids are not reused. KINDRED_NOT_FOUND: an id was never assigned, was
 * already removed or is listed twice; nothing is removed then. */
KINDRED_API kindred_status kindred_index_remove(kindred_index* index, const uint64_t* ids,
                                                size_t count) KINDRED_NOEXCEPT;
/** Replaces the row of an id. KINDRED_NOT_FOUND: no row has the id.
 *  @param row [dimension] of the element type of the index
 *  @param scale scale of the row, for int8 only */
KINDRED_API kindred_status
kindred_index_replace(kindred_index* index, uint64_t id, const DLTensor* row,
                      KINDRED_OPTIONAL const DLTensor* scale) KINDRED_NOEXCEPT;
/** The number of rows that can be found. */
KINDRED_API kindred_status kindred_index_size(const kindred_index* index,
                                              size_t* size) KINDRED_NOEXCEPT;
/** The ids of all rows that can be found, ascending.
 *  @param ids at most `capacity` are written
 *  @param count number of ids; if it exceeds `capacity`, the call fails with KINDRED_INVALID,
 * and sets only this */
KINDRED_API kindred_status kindred_index_ids(const kindred_index* index, uint64_t* ids,
                                             size_t capacity, size_t* count) KINDRED_NOEXCEPT;
/** The rows of `ids`, in the order of `ids`, decoded to float32 [count, dimension].
 * KINDRED_NOT_FOUND: no row has an id.
 *  @param ids may be repeated
 *  @param rows float32 [count, dimension], on the host */
KINDRED_API kindred_status kindred_index_rows(const kindred_index* index, const uint64_t* ids,
                                              size_t count, DLTensor* rows) KINDRED_NOEXCEPT;
/** Sizes and counts of what the index holds, with the bytes of all copies. */
KINDRED_API kindred_status kindred_index_get_statistics(
    const kindred_index* index, kindred_index_statistics* statistics) KINDRED_NOEXCEPT;
/** Writes all rows and ids to a file, atomically: the file at `path` is the old or the new one. */
KINDRED_API kindred_status kindred_index_save(const kindred_index* index,
                                              const char* path) KINDRED_NOEXCEPT;
/** The bytes of the file that kindred_index_save writes. */
KINDRED_API kindred_status kindred_index_to_bytes(const kindred_index* index,
                                                  kindred_string** bytes) KINDRED_NOEXCEPT;
/** The exact best `top` rows of every query. Tensors are on the host or, all of them, on a
 * device. On a device, the rows of the index must be there, and filters and
 * KINDRED_PATH_QUANTIZED are not possible. Calls on streams run one after the other; the first
 * of a size, and the first after a change of the rows, may fence. KINDRED_NO_SPACE: the call
 * cannot run in `space`.
 *  @param queries float32 [queries, dimension], or [dimension] for one query; there may be gaps
 * between rows
 *  @param scores float32 [queries, top], or [top]; -inf (+inf under KINDRED_L2) where there is
 * no result
 *  @param ids int64 [queries, top], or [top]; -1 where there is no result */
KINDRED_API kindred_status
kindred_index_search(const kindred_index* index, const DLTensor* queries,
                     KINDRED_OPTIONAL const kindred_search_options* options, DLTensor* scores,
                     DLTensor* ids, KINDRED_OPTIONAL kindred_search_report* report,
                     KINDRED_OPTIONAL kindred_record* record) KINDRED_NOEXCEPT;
/** The scores of all rows for every query, in ascending order of their ids; memory, streams and
 * failures as of kindred_index_search.
 *  @param queries float32 [queries, dimension], or [dimension] for one query; there may be gaps
 * between rows
 *  @param out float32 [queries, rows], or [rows] for one query */
KINDRED_API kindred_status
kindred_index_score_all(const kindred_index* index, const DLTensor* queries,
                        KINDRED_OPTIONAL const kindred_score_options* options, DLTensor* out,
                        KINDRED_OPTIONAL kindred_record* record) KINDRED_NOEXCEPT;
/** All rows whose score is `score` or better, best first. Queries on the host. Under KINDRED_L2,
 * a score is better if it is smaller. `top` has no effect.
 *  @param queries float32 [queries, dimension], or [dimension] for one query */
KINDRED_API kindred_status
kindred_index_search_at_least(const kindred_index* index, const DLTensor* queries, float score,
                              KINDRED_OPTIONAL const kindred_search_options* options,
                              kindred_results** results) KINDRED_NOEXCEPT;
/** Scores candidates: of every query the rows ids[offsets[i] ... offsets[i + 1]), of which the
 * best `top` are returned. */
KINDRED_API kindred_status
kindred_index_score(const kindred_index* index, const DLTensor* queries, const uint64_t* ids,
                    const uint64_t* offsets, KINDRED_OPTIONAL const kindred_search_options* options,
                    kindred_results** results) KINDRED_NOEXCEPT;
/** The same for lists of one length; memory and streams as of kindred_index_search. Filters are
 * possible in host memory only.
 *  @param candidates int64 [queries, length], or [length]; an id without a row, such as -1, is
 * skipped
 *  @param scores,ids as of kindred_index_search */
KINDRED_API kindred_status kindred_index_score_arrays(
    const kindred_index* index, const DLTensor* queries, const DLTensor* candidates,
    KINDRED_OPTIONAL const kindred_search_options* options, DLTensor* scores, DLTensor* ids,
    KINDRED_OPTIONAL kindred_record* record) KINDRED_NOEXCEPT;

/** Prepares scores of at most `longest` candidates of single queries. It keeps the index alive.
 * Its calls must not be concurrent. KINDRED_NO_SPACE: the space cannot be used.
 *  @param longest the largest number of candidates of a call */
KINDRED_API kindred_status
kindred_scorer_create(const kindred_index* index, size_t longest,
                      KINDRED_OPTIONAL const kindred_search_options* options,
                      kindred_scorer** scorer) KINDRED_NOEXCEPT;
/** Frees a handle. */
KINDRED_API kindred_status kindred_scorer_destroy(KINDRED_OPTIONAL kindred_scorer* scorer)
    KINDRED_NOEXCEPT;
/** The best candidates of a query, best first. Repeated candidates count once.
 *  @param query float32 [dimension] on the host
 *  @param candidates at most `longest` ids
 *  @param scores,ids at most `capacity` are written
 *  @param found number of results; if it exceeds `capacity`, the call fails with
 * KINDRED_INVALID, and sets only this */
KINDRED_API kindred_status kindred_scorer_score(kindred_scorer* scorer, const DLTensor* query,
                                                const uint64_t* candidates, size_t count,
                                                float* scores, int64_t* ids, size_t capacity,
                                                size_t* found) KINDRED_NOEXCEPT;
/** Where calls run. */
KINDRED_API kindred_status kindred_scorer_space(const kindred_scorer* scorer,
                                                int32_t* space) KINDRED_NOEXCEPT;

/* ---- Functions of vectors that are in no index, and files of vectors ---- */

/* Formats of files of vectors; ANY: from the extension of the name, otherwise from the first bytes.
 */
enum {
  KINDRED_FORMAT_ANY = -1,
  KINDRED_FORMAT_NPY = 0,
  KINDRED_FORMAT_FVECS = 1,
  KINDRED_FORMAT_BVECS = 2,
  KINDRED_FORMAT_IVECS = 3,
  KINDRED_FORMAT_FBIN = 4,
  KINDRED_FORMAT_U8BIN = 5,
  KINDRED_FORMAT_I8BIN = 6,
  KINDRED_FORMAT_HDF5 = 7
};
/* The types of numbers in such files. */
enum {
  KINDRED_NUMBER_FLOAT32 = 0,
  KINDRED_NUMBER_FLOAT16 = 1,
  KINDRED_NUMBER_INT8 = 2,
  KINDRED_NUMBER_UINT8 = 3,
  KINDRED_NUMBER_INT32 = 4,
  KINDRED_NUMBER_INT64 = 5
};

/** How a file of vectors is read. */
typedef struct kindred_vectors_source {
  size_t struct_size;
  const char* dataset; /* of an HDF5 file; NULL: `train` */
  int32_t format;      /* KINDRED_FORMAT_... */
  int32_t one_row;     /* nonzero: read a one-dimensional .npy array as one row */
} kindred_vectors_source;
#define KINDRED_VECTORS_SOURCE_INIT \
  { sizeof(kindred_vectors_source), NULL, KINDRED_FORMAT_ANY, 0 }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_vectors_source_init(kindred_vectors_source* source,
                                                       size_t struct_size) KINDRED_NOEXCEPT;

/** Options of kindred_vectors_build. */
typedef struct kindred_vectors_build_options {
  size_t struct_size;
  int32_t element;        /* KINDRED_ELEMENT_...; -1: the type that holds the numbers exactly */
  int32_t quantized_copy; /* nonzero: also write the int8-quantized copy of the rows */
} kindred_vectors_build_options;
#define KINDRED_VECTORS_BUILD_OPTIONS_INIT \
  { sizeof(kindred_vectors_build_options), -1, 1 }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_vectors_build_options_init(
    kindred_vectors_build_options* options, size_t struct_size) KINDRED_NOEXCEPT;

/** The contents of a file of vectors, by its header. */
typedef struct kindred_vectors_info {
  size_t struct_size;
  uint64_t rows;
  uint64_t dimension;
  uint64_t row_bytes;
  int32_t format; /* KINDRED_FORMAT_... */
  int32_t type;   /* KINDRED_NUMBER_... */
} kindred_vectors_info;
#define KINDRED_VECTORS_INFO_INIT \
  { sizeof(kindred_vectors_info), 0, 0, 0, 0, 0 }

/** The contents of a file of an index. */
typedef struct kindred_vectors_file_info {
  size_t struct_size;
  uint64_t rows;
  uint64_t dimension;
  uint64_t end_id;          /* all ids below it have been assigned */
  uint64_t not_finite;      /* rows with a NaN or an infinity */
  uint64_t row_bytes;       /* of all rows, with scales */
  uint64_t quantized_bytes; /* of the quantized copy */
  uint64_t bytes;           /* of the file */
  int32_t element;          /* KINDRED_ELEMENT_... */
  int32_t reserved;
} kindred_vectors_file_info;
#define KINDRED_VECTORS_FILE_INFO_INIT \
  { sizeof(kindred_vectors_file_info), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Functions run where the rows are, unless a space is given. */

/** The scores of all rows for every query, in the order of the rows, which are read where they
 * are. They have the bits of an index of the rows. Threads do not wait for one another on the
 * host.
 *  @param queries float32 [queries, dimension], or [dimension] for one query; on the host or on
 * a device, with any distance between rows, as all tensors of the call
 *  @param rows [count, dimension] of float32, float16 or bfloat16; or int8, then all tensors are
 * on the host without gaps
 *  @param out float32 [queries, count], or [count] for one query
 *  @param scales float32 [count], for int8 only
 *  @param metric KINDRED_COSINE, KINDRED_IP or KINDRED_L2 */
KINDRED_API kindred_status kindred_row_scores(kindred_context* context, const DLTensor* queries,
                                              const DLTensor* rows,
                                              KINDRED_OPTIONAL const DLTensor* scales,
                                              int32_t metric, int32_t space,
                                              DLTensor* out) KINDRED_NOEXCEPT;
/** The exact best `top` rows of every query, without an index. Arguments and failures as of
 * kindred_row_scores.
 *  @param scores float32 [queries, top], or [top], with a `top` of at least 1; -inf (+inf under
 * KINDRED_L2) beyond the number of rows
 *  @param ids int64, of the same shape: numbers of rows; -1 beyond */
KINDRED_API kindred_status kindred_top_rows(kindred_context* context, const DLTensor* queries,
                                            const DLTensor* rows,
                                            KINDRED_OPTIONAL const DLTensor* scales, int32_t metric,
                                            int32_t space, DLTensor* scores,
                                            DLTensor* ids) KINDRED_NOEXCEPT;

/** kindred_row_scores of one query by KINDRED_COSINE, for plain pointers to host memory.
 *  @param query dim numbers
 *  @param rows count * dim numbers
 *  @param out count numbers */
KINDRED_API kindred_status kindred_cosine_rows(kindred_context* context, const float* query,
                                               const float* rows, size_t count, size_t dim,
                                               float* out) KINDRED_NOEXCEPT;
/** kindred_top_rows of one query, for plain pointers to host memory.
 *  @param metric KINDRED_COSINE, KINDRED_IP or KINDRED_L2
 *  @param query dim numbers
 *  @param rows count * dim numbers
 *  @param scores,ids k of each; padded as of kindred_top_rows */
KINDRED_API kindred_status kindred_top_k_rows(kindred_context* context, int32_t metric,
                                              const float* query, const float* rows, size_t count,
                                              size_t dim, size_t k, float* scores,
                                              int64_t* ids) KINDRED_NOEXCEPT;
/** sigmoid((c - threshold) / max(temperature, 0.05)) for the cosine c of a query with every row,
 * in the order of the rows.
 *  @param query float32 [dimension]
 *  @param rows [count, dimension] of float32, float16, bfloat16, or int8 with `scales`
 *  @param out float32 [count] */
KINDRED_API kindred_status kindred_cosine_sigmoids(kindred_context* context, const DLTensor* query,
                                                   const DLTensor* rows,
                                                   KINDRED_OPTIONAL const DLTensor* scales,
                                                   double threshold, double temperature,
                                                   int32_t space, DLTensor* out) KINDRED_NOEXCEPT;
/** The average of rows with weights, elementwise; zeros if the weights sum to 0.
 *  @param weights float32 [count]
 *  @param out float32 [dimension] */
KINDRED_API kindred_status kindred_weighted_average(kindred_context* context, const DLTensor* rows,
                                                    KINDRED_OPTIONAL const DLTensor* scales,
                                                    const DLTensor* weights, int32_t space,
                                                    DLTensor* out) KINDRED_NOEXCEPT;
/** The same for float32 rows that are anywhere in host memory.
 *  @param rows count pointers, each to dim numbers
 *  @param weights count numbers
 *  @param out dim numbers */
KINDRED_API kindred_status kindred_weighted_average_rows(kindred_context* context,
                                                         const float* const* rows, size_t count,
                                                         size_t dim, const float* weights,
                                                         int32_t space,
                                                         float* out) KINDRED_NOEXCEPT;
/** Compares the ids of approximate results with the true ones, row by row.
 *  @param found,truth int64 [queries, top]; the ids of a row are distinct, -1 is no id
 *  @param hits true neighbours that were found
 *  @param all true neighbours */
KINDRED_API kindred_status kindred_recall(const DLTensor* found, const DLTensor* truth,
                                          uint64_t* hits, uint64_t* all) KINDRED_NOEXCEPT;
/** Converts float32 rows, rounding to nearest, ties to even; int8 has one scale per row, the
 * largest magnitude / 127. Finite numbers outside the range of the type are refused, for int8
 * all that are not finite.
 *  @param rows float32 [count, dimension]
 *  @param out [count, dimension] of float32, float16, bfloat16 or int8
 *  @param scales float32 [count], for int8 only */
KINDRED_API kindred_status kindred_encode_rows(const DLTensor* rows, DLTensor* out,
                                               KINDRED_OPTIONAL DLTensor* scales) KINDRED_NOEXCEPT;
/** Converts rows to float32; an int8 is multiplied by its scale and rounded once.
 *  @param rows [count, dimension] of float32, float16, bfloat16, or int8 with `scales`
 *  @param out float32 [count, dimension] */
KINDRED_API kindred_status kindred_decode_rows(const DLTensor* rows,
                                               KINDRED_OPTIONAL const DLTensor* scales,
                                               DLTensor* out) KINDRED_NOEXCEPT;
/** Reads the header of a file of vectors. */
KINDRED_API kindred_status
kindred_vectors_describe(const char* path, KINDRED_OPTIONAL const kindred_vectors_source* source,
                         kindred_vectors_info* info) KINDRED_NOEXCEPT;
/** Reads the rows first ... first + count of a file of vectors, and converts them to the type of
 * `out`, exactly to float32 or int64, otherwise as kindred_encode_rows does. After a failure,
 * the arrays may have been written.
 *  @param out [count, dimension] of float32, float16, bfloat16 or int8; int64 for files of
 * integers
 *  @param scales float32 [count], for int8 only; 1 for a file of int8 */
KINDRED_API kindred_status kindred_vectors_read(
    const char* path, KINDRED_OPTIONAL const kindred_vectors_source* source, uint64_t first,
    DLTensor* out, KINDRED_OPTIONAL DLTensor* scales) KINDRED_NOEXCEPT;
/** Converts a file of vectors to one that kindred_index_load maps. It works in blocks: the file
 * may exceed the memory.
 *  @param path the file to read; the id of a row is its number in it
 *  @param to the file to write, atomically
 *  @param progress receives the number of rows written so far */
KINDRED_API kindred_status
kindred_vectors_build(kindred_context* context, const char* path,
                      KINDRED_OPTIONAL const kindred_vectors_source* source, const char* to,
                      KINDRED_OPTIONAL const kindred_vectors_build_options* options,
                      KINDRED_OPTIONAL kindred_progress_callback progress,
                      KINDRED_OPTIONAL void* user) KINDRED_NOEXCEPT;
/** Validates every byte of a file of an index and describes its contents.
 *  @param threads maximum number of threads; 0: all of the machine */
KINDRED_API kindred_status kindred_vectors_inspect(
    const char* path, int32_t threads, kindred_vectors_file_info* info) KINDRED_NOEXCEPT;

/* ---- HnswIndex: approximate nearest neighbours, on the host ---- */

/* The codes from which a traversal computes distances. */
enum { KINDRED_TRAVERSAL_AUTOMATIC = 0, KINDRED_TRAVERSAL_BYTES = 1, KINDRED_TRAVERSAL_FLOATS = 2 };

/** Settings of an index, which never change. */
typedef struct kindred_hnsw_settings {
  size_t struct_size;
  uint64_t m;               /* links per new node, 2 ... 512 */
  uint64_t ef_construction; /* candidate list size during insertion, m ... 65536 */
  uint64_t seed;            /* for the random levels of the nodes */
  int32_t metric;
  int32_t traversal; /* KINDRED_TRAVERSAL_... */
} kindred_hnsw_settings;
#define KINDRED_HNSW_SETTINGS_INIT \
  { sizeof(kindred_hnsw_settings), 16, 200, 1, KINDRED_COSINE, KINDRED_TRAVERSAL_AUTOMATIC }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_hnsw_settings_init(kindred_hnsw_settings* settings,
                                                      size_t struct_size) KINDRED_NOEXCEPT;

/** Options of a search. */
typedef struct kindred_hnsw_search_options {
  size_t struct_size;
  uint64_t top; /* maximum number of results per query */
  uint64_t ef; /* candidate list size, at least `top`: larger values increase recall; 0: the greater
                  of 64 and `top` */
  const uint8_t* filter; /* as of kindred_search_options; bits are for all queries */
  uint64_t filter_size;
  const uint64_t* filter_bits;
  uint64_t filter_bits_size;
  int32_t space;    /* serial or openmp */
  int32_t reserved; /* 0 */
} kindred_hnsw_search_options;
#define KINDRED_HNSW_SEARCH_OPTIONS_INIT \
  { sizeof(kindred_hnsw_search_options), 10, 0, NULL, 0, NULL, 0, KINDRED_SPACE_ANY, 0 }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_hnsw_search_options_init(kindred_hnsw_search_options* options,
                                                            size_t struct_size) KINDRED_NOEXCEPT;

/** The contents of an index. */
typedef struct kindred_hnsw_statistics {
  size_t struct_size;
  uint64_t rows;
  uint64_t removed;
  uint64_t end_id;
  uint64_t dimension;
  uint64_t levels;
  uint64_t links;
  uint64_t unreachable; /* rows that no traversal reaches */
  uint64_t bytes;
  int32_t traversal; /* the one that was chosen */
  int32_t metric;
  uint64_t m;
  uint64_t ef_construction;
  uint64_t seed;
} kindred_hnsw_statistics;
#define KINDRED_HNSW_STATISTICS_INIT \
  { sizeof(kindred_hnsw_statistics), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/** Creates an empty index of rows of `dimension` elements. */
KINDRED_API kindred_status kindred_hnsw_create(
    kindred_context* context, size_t dimension,
    KINDRED_OPTIONAL const kindred_hnsw_settings* settings, kindred_hnsw** hnsw) KINDRED_NOEXCEPT;
/** Builds an index of rows, which are copied, with the ids 0, 1, ...; faster to search than one
 * that rows were added to.
 *  @param rows float32 [count, dimension], finite
 *  @param progress receives the number of rows inserted so far */
KINDRED_API kindred_status
kindred_hnsw_build(kindred_context* context, const DLTensor* rows,
                   KINDRED_OPTIONAL const kindred_hnsw_settings* settings,
                   KINDRED_OPTIONAL kindred_progress_callback progress, KINDRED_OPTIONAL void* user,
                   kindred_hnsw** hnsw) KINDRED_NOEXCEPT;
/** Maps a file that kindred_hnsw_save has written, and validates every byte. KINDRED_NOT_FOUND:
 * there is no such file. KINDRED_CORRUPT: it is damaged; nothing of it is used. */
KINDRED_API kindred_status kindred_hnsw_load(kindred_context* context, const char* path,
                                             kindred_hnsw** hnsw) KINDRED_NOEXCEPT;
/** An index of the bytes of kindred_hnsw_to_bytes, or of a file of kindred_hnsw_save, which are
 * copied. KINDRED_CORRUPT: the bytes are damaged; nothing of them is used. */
KINDRED_API kindred_status kindred_hnsw_from_bytes(kindred_context* context, const uint8_t* bytes,
                                                   size_t size,
                                                   kindred_hnsw** hnsw) KINDRED_NOEXCEPT;
/** Reads a graph of float32 rows that hnswlib has saved; labels become ids. The file has neither
 * the metric nor the dimension. KINDRED_NOT_FOUND: there is no such file. KINDRED_CORRUPT: it is
 * no graph of such rows, or damaged. */
KINDRED_API kindred_status kindred_hnsw_import_hnswlib(kindred_context* context, const char* path,
                                                       int32_t metric, size_t dimension,
                                                       kindred_hnsw** hnsw) KINDRED_NOEXCEPT;
/** Frees a handle. */
KINDRED_API kindred_status kindred_hnsw_destroy(KINDRED_OPTIONAL kindred_hnsw* hnsw)
    KINDRED_NOEXCEPT;
/** Adds rows of float32. If it fails, the index is unchanged.
 *  @param first_id id of the first new row */
KINDRED_API kindred_status kindred_hnsw_add(kindred_hnsw* hnsw, const DLTensor* rows,
                                            KINDRED_OPTIONAL uint64_t* first_id) KINDRED_NOEXCEPT;
/** Removes rows from future results; their ids are not reused. KINDRED_NOT_FOUND: an id has no
 * row or is listed twice; nothing is removed then. */
KINDRED_API kindred_status kindred_hnsw_remove(kindred_hnsw* hnsw, const uint64_t* ids,
                                               size_t count) KINDRED_NOEXCEPT;
/** Deletes the removed rows from the graph, and releases their memory. */
KINDRED_API kindred_status kindred_hnsw_repair(kindred_hnsw* hnsw) KINDRED_NOEXCEPT;
/** Number of rows that can be found. */
KINDRED_API kindred_status kindred_hnsw_size(const kindred_hnsw* hnsw,
                                             size_t* size) KINDRED_NOEXCEPT;
/** The settings with which it was created. */
KINDRED_API kindred_status kindred_hnsw_settings_of(
    const kindred_hnsw* hnsw, kindred_hnsw_settings* settings) KINDRED_NOEXCEPT;
/** The rows of `ids`, in the order of `ids`, as they were added: float32 [count, dimension].
 * KINDRED_NOT_FOUND: no row has an id.
 *  @param ids may be repeated
 *  @param rows float32 [count, dimension], on the host */
KINDRED_API kindred_status kindred_hnsw_rows(const kindred_hnsw* hnsw, const uint64_t* ids,
                                             size_t count, DLTensor* rows) KINDRED_NOEXCEPT;
/** Whether a row can be found. */
KINDRED_API kindred_status kindred_hnsw_contains(const kindred_hnsw* hnsw, uint64_t id,
                                                 int32_t* contains) KINDRED_NOEXCEPT;
/** Sizes, counts and settings. Traverses the graph once. */
KINDRED_API kindred_status kindred_hnsw_get_statistics(
    const kindred_hnsw* hnsw, kindred_hnsw_statistics* statistics) KINDRED_NOEXCEPT;
/** The rows nearest to each query, approximately.
 *  @param queries float32 [queries, dimension], on the host without gaps
 *  @param scores float32 [queries, top]; -inf (+inf under KINDRED_L2) where there is no result
 *  @param ids int64 [queries, top]; -1 where there is no result
 *  @param visited rows whose distance was computed, over all queries
 *  @param scanned queries that scored every row that the filter allows instead */
KINDRED_API kindred_status kindred_hnsw_search(
    const kindred_hnsw* hnsw, const DLTensor* queries,
    KINDRED_OPTIONAL const kindred_hnsw_search_options* options, DLTensor* scores, DLTensor* ids,
    KINDRED_OPTIONAL uint64_t* visited, KINDRED_OPTIONAL uint64_t* scanned,
    KINDRED_OPTIONAL kindred_record* record) KINDRED_NOEXCEPT;
/** Writes the index to a file, atomically: the file at `path` is the old or the new one. */
KINDRED_API kindred_status kindred_hnsw_save(const kindred_hnsw* hnsw,
                                             const char* path) KINDRED_NOEXCEPT;
/** The bytes of the file that kindred_hnsw_save writes. */
KINDRED_API kindred_status kindred_hnsw_to_bytes(const kindred_hnsw* hnsw,
                                                 kindred_string** bytes) KINDRED_NOEXCEPT;
/** Writes the index in hnswlib's format. Under KINDRED_COSINE, rows are normalised. */
KINDRED_API kindred_status kindred_hnsw_export_hnswlib(const kindred_hnsw* hnsw,
                                                       const char* path) KINDRED_NOEXCEPT;

/* ---- SpreadingEngine: spreading activation and PageRank over a graph ---- */

/* The fan effect of a kind of nodes: its factor, 1 / out-degree, 1 / sqrt(out-degree). */
enum { KINDRED_FAN_CONSTANT = 0, KINDRED_FAN_INVERSE = 1, KINDRED_FAN_INVERSE_ROOT = 2 };
/* How edge weights are stored. */
enum { KINDRED_WEIGHTS_FLOAT32 = 0, KINDRED_WEIGHTS_BFLOAT16 = 1, KINDRED_WEIGHTS_NONE = 2 };
/* How activation spreads. */
enum { KINDRED_SPREAD_ENGINE = 0, KINDRED_SPREAD_LINEAR = 1, KINDRED_SPREAD_PAGERANK = 2 };
/* The share that a hop d passes on: exp(-p d), (d + 1)^-p, max(0, 1 - p d), p. */
enum {
  KINDRED_DECAY_EXPONENTIAL = 0,
  KINDRED_DECAY_POWER = 1,
  KINDRED_DECAY_LINEAR = 2,
  KINDRED_DECAY_CONSTANT = 3
};
/* Along the edges (y = W^T x) or against them (y = W x). */
enum { KINDRED_HOP_ALONG = 0, KINDRED_HOP_AGAINST = 1 };

/** A directed, weighted edge. */
typedef struct kindred_edge {
  uint32_t from;
  uint32_t to;
  float weight;
} kindred_edge;

/** Selects all edges from one node to another, or those of one kind. */
typedef struct kindred_edge_ends {
  uint32_t from;
  uint32_t to;
  int32_t kind; /* -1: every kind */
} kindred_edge_ends;

/** How the kinds of the two nodes modify the weight of an edge u -> v: weight *
 * strengths[kind(u)][kind(v)] * fan(u), where the fan of a kind is its factor, 1 / out-degree,
 * or 1 / sqrt(out-degree). The defaults have no effect. */
typedef struct kindred_modifiers {
  size_t struct_size;
  double strengths[8][8];
  double fan_factors[8];
  int32_t fan_kinds[8]; /* KINDRED_FAN_... */
} kindred_modifiers;
#define KINDRED_MODIFIERS_INIT                                                         \
  {                                                                                    \
    sizeof(kindred_modifiers),                                                         \
        {{1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}, \
         {1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}, \
         {1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}},                          \
        {1, 1, 1, 1, 1, 1, 1, 1}, {                                                    \
      0, 0, 0, 0, 0, 0, 0, 0                                                           \
    }                                                                                  \
  }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_modifiers_init(kindred_modifiers* modifiers,
                                                  size_t struct_size) KINDRED_NOEXCEPT;

/** The parameters of one query of a spread. */
typedef struct kindred_spread_query {
  double decay;      /* parameter */
  double threshold;  /* overrides the three tiers; negative: 0.01, 0.05, 0.10 */
  uint64_t kinds[4]; /* bit k: edges of kind k are followed */
  uint32_t hops;
  int32_t decay_kind; /* KINDRED_DECAY_... */
} kindred_spread_query;

/** Options of a graph. */
typedef struct kindred_graph_options {
  size_t struct_size;
  int32_t weights;    /* KINDRED_WEIGHTS_... */
  int32_t residency;  /* KINDRED_RESIDENCY_... */
  double merge_share; /* changed rows are merged into the graph when they hold this share of its
                         edges */
  int32_t background_merge; /* nonzero: they are merged by a thread of their own */
  int32_t reserved;         /* 0 */
} kindred_graph_options;
#define KINDRED_GRAPH_OPTIONS_INIT \
  { sizeof(kindred_graph_options), KINDRED_WEIGHTS_FLOAT32, KINDRED_RESIDENCY_AUTOMATIC, 0.1, 1, 0 }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_graph_options_init(kindred_graph_options* options,
                                                      size_t struct_size) KINDRED_NOEXCEPT;

/** Options of a spread. */
typedef struct kindred_spread_options {
  size_t struct_size;
  uint64_t top;         /* maximum number of nodes per query */
  double decay;         /* parameter */
  double threshold;     /* overrides the three tiers; negative: 0.01, 0.05, 0.10 */
  double damping;       /* of PageRank, in [0, 1) */
  double tolerance;     /* of PageRank */
  uint64_t trace_paths; /* paths per result to return, at most 1000 */
  uint64_t kinds[4];    /* bit k: edges of kind k are followed */
  const kindred_spread_query*
      per_query; /* one per query, replaces hops, decay, threshold and kinds; NULL */
  uint64_t per_query_size;
  const kindred_modifiers* modifiers; /* NULL: none */
  int32_t mode;                       /* KINDRED_SPREAD_... */
  uint32_t hops;
  int32_t decay_kind;      /* KINDRED_DECAY_... */
  uint32_t max_iterations; /* of PageRank */
  int32_t bfloat16;        /* nonzero: hops propagate activations in bfloat16 */
  int32_t space;           /* KINDRED_SPACE_... */
  int32_t has_stream;      /* nonzero: `stream` orders a call on tensors on a device */
  int32_t reserved;        /* 0 */
  void* stream;
} kindred_spread_options;
#define KINDRED_SPREAD_OPTIONS_INIT                                                                \
  {                                                                                                \
    sizeof(kindred_spread_options), 10, 0.7, -1, 0.85, 1e-6, 0,                                    \
        {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}, NULL, 0, NULL, KINDRED_SPREAD_ENGINE, 4, \
        KINDRED_DECAY_EXPONENTIAL, 200, 0, KINDRED_SPACE_ANY, 0, 0, NULL                           \
  }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_spread_options_init(kindred_spread_options* options,
                                                       size_t struct_size) KINDRED_NOEXCEPT;

/** Options of a hop. */
typedef struct kindred_hop_options {
  size_t struct_size;
  uint64_t kinds[4];                  /* bit k: edges of kind k are followed */
  const kindred_modifiers* modifiers; /* NULL: none */
  int32_t direction;                  /* KINDRED_HOP_... */
  int32_t space;                      /* KINDRED_SPACE_... */
  int32_t has_stream;                 /* nonzero: `stream` orders a call on tensors on a device */
  int32_t reserved;                   /* 0 */
  void* stream;
} kindred_hop_options;
#define KINDRED_HOP_OPTIONS_INIT                                                         \
  {                                                                                      \
    sizeof(kindred_hop_options), {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}, NULL, \
        KINDRED_HOP_ALONG, KINDRED_SPACE_ANY, 0, 0, NULL                                 \
  }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_hop_options_init(kindred_hop_options* options,
                                                    size_t struct_size) KINDRED_NOEXCEPT;

/** The size of a graph. */
typedef struct kindred_graph_statistics {
  size_t struct_size;
  uint64_t nodes; /* assigned ids */
  uint64_t removed_nodes;
  uint64_t edges;
  uint64_t rebuilt_rows; /* since the last merge, both directions */
  uint64_t rebuilt_edges;
  uint64_t merges;
  uint64_t edge_bytes;
  uint64_t offset_bytes;
  uint64_t rebuilt_bytes;
  uint64_t name_bytes;
  uint64_t bytes[3]; /* on each space */
  int32_t weights;   /* KINDRED_WEIGHTS_... */
  int32_t edge_kinds;
  int32_t node_kinds;
  int32_t names;
} kindred_graph_statistics;
#define KINDRED_GRAPH_STATISTICS_INIT \
  { sizeof(kindred_graph_statistics), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0, 0, 0}, 0, 0, 0, 0 }

/** The contents of a file of a graph. */
typedef struct kindred_graph_file_info {
  size_t struct_size;
  uint64_t nodes;
  uint64_t removed_nodes;
  uint64_t edges;
  uint64_t outside_unit; /* edges with a weight outside [0, 1] */
  uint64_t edge_bytes;
  uint64_t offset_bytes;
  uint64_t name_bytes;
  uint64_t bytes;
  int32_t weights; /* KINDRED_WEIGHTS_... */
  int32_t edge_kinds;
  int32_t node_kinds;
  int32_t names;
} kindred_graph_file_info;
#define KINDRED_GRAPH_FILE_INFO_INIT \
  { sizeof(kindred_graph_file_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/** Builds a graph of edges, which are copied.
 *  @param edge_kinds one per edge; NULL: kinds are not kept
 *  @param node_kinds one per node; NULL: all nodes are of kind 0
 *  @param names one distinct name per node; NULL: nodes have no names */
KINDRED_API kindred_status kindred_graph_create(
    kindred_context* context, size_t nodes, const kindred_edge* edges, size_t edge_count,
    KINDRED_OPTIONAL const uint8_t* edge_kinds, KINDRED_OPTIONAL const uint8_t* node_kinds,
    KINDRED_OPTIONAL const kindred_text* names,
    KINDRED_OPTIONAL const kindred_graph_options* options, kindred_graph** graph) KINDRED_NOEXCEPT;
/** Builds a graph without names and kinds from compressed sparse rows: row v has the edges
 * offsets[v] ... offsets[v + 1), of which i leads from v to ends[i]. Ends, weights and int64
 * offsets on the host are used in place and must not change until the graph needs them no more:
 * until `release` is called or, without it, until the graph was destroyed. Arrays on a device
 * are copied, as are int32 offsets.
 *  @param offsets int32 or int64, nodes + 1, from 0 to the number of edges
 *  @param ends int32 or uint32, one per edge
 *  @param weights float32 or bfloat16, one per edge, finite; NULL: all weights are 1
 *  @param options `weights` has no effect: weights are stored as they are given
 *  @param release called once, after a call that succeeded, when the arrays are no longer needed */
KINDRED_API kindred_status kindred_graph_create_csr(
    kindred_context* context, const DLTensor* offsets, const DLTensor* ends,
    KINDRED_OPTIONAL const DLTensor* weights, KINDRED_OPTIONAL const kindred_graph_options* options,
    KINDRED_OPTIONAL kindred_release_callback release, KINDRED_OPTIONAL void* user,
    kindred_graph** graph) KINDRED_NOEXCEPT;
/** Maps a file that kindred_graph_save has written, and validates every byte. KINDRED_NOT_FOUND:
 * there is no such file. KINDRED_CORRUPT: it is damaged; nothing of it is used.
 *  @param threads maximum number of threads; 0: all of the machine */
KINDRED_API kindred_status kindred_graph_load(kindred_context* context, const char* path,
                                              KINDRED_OPTIONAL const kindred_graph_options* options,
                                              int32_t threads,
                                              kindred_graph** graph) KINDRED_NOEXCEPT;
/** An engine of the bytes of kindred_graph_to_bytes, or of a file of kindred_graph_save, which
 * are copied. KINDRED_CORRUPT: the bytes are damaged; nothing of them is used.
 *  @param threads maximum number of threads; 0: all of the machine */
KINDRED_API kindred_status
kindred_graph_from_bytes(kindred_context* context, const uint8_t* bytes, size_t size,
                         KINDRED_OPTIONAL const kindred_graph_options* options, int32_t threads,
                         kindred_graph** graph) KINDRED_NOEXCEPT;
/** Frees a handle. */
KINDRED_API kindred_status kindred_graph_destroy(KINDRED_OPTIONAL kindred_graph* graph)
    KINDRED_NOEXCEPT;
/** Validates every byte of a file, and describes its contents. KINDRED_NOT_FOUND: there is no
 * such file. KINDRED_CORRUPT: it is damaged.
 *  @param threads maximum number of threads; 0: all of the machine */
KINDRED_API kindred_status kindred_graph_inspect(const char* path, int32_t threads,
                                                 kindred_graph_file_info* info) KINDRED_NOEXCEPT;
/** What the graph holds, and its bytes. */
KINDRED_API kindred_status kindred_graph_get_statistics(
    const kindred_graph* graph, kindred_graph_statistics* statistics) KINDRED_NOEXCEPT;
/** Whether a node exists and was not removed. */
KINDRED_API kindred_status kindred_graph_has_node(const kindred_graph* graph, uint32_t node,
                                                  int32_t* exists) KINDRED_NOEXCEPT;
/** The node of a name; -1 if there is none. */
KINDRED_API kindred_status kindred_graph_find(const kindred_graph* graph, const char* name,
                                              size_t size, int64_t* node) KINDRED_NOEXCEPT;
/** The name of a node. It is valid while the graph lives. KINDRED_NOT_FOUND: the node has none. */
KINDRED_API kindred_status kindred_graph_name(const kindred_graph* graph, uint32_t node,
                                              kindred_text* name) KINDRED_NOEXCEPT;
/** Adds nodes without edges: a number of them, or in a graph with names, their names. A known
 * name yields its node, which is restored if it was removed.
 *  @param names `count` names of nodes of a graph with names; NULL: nodes without names
 *  @param kinds one per node; NULL: kind 0
 *  @param nodes [count] ids */
KINDRED_API kindred_status kindred_graph_add_nodes(
    kindred_graph* graph, KINDRED_OPTIONAL const kindred_text* names, size_t count,
    KINDRED_OPTIONAL const uint8_t* kinds, KINDRED_OPTIONAL uint32_t* nodes) KINDRED_NOEXCEPT;
/** Appends edges.
 *  @param kinds one per edge; NULL: kind 0 */
KINDRED_API kindred_status
kindred_graph_add_edges(kindred_graph* graph, const kindred_edge* edges, size_t count,
                        KINDRED_OPTIONAL const uint8_t* kinds) KINDRED_NOEXCEPT;
/** Removes all edges between pairs of nodes, or those of one kind per pair. KINDRED_NOT_FOUND: a
 * pair has no such edge or is listed twice; nothing is removed then.
 *  @param removed number of edges */
KINDRED_API kindred_status
kindred_graph_remove_edges(kindred_graph* graph, const kindred_edge_ends* edges, size_t count,
                           KINDRED_OPTIONAL uint64_t* removed) KINDRED_NOEXCEPT;
/** Removes nodes and all their edges; their ids are not reused. KINDRED_NOT_FOUND: a node does
 * not exist or is listed twice; nothing is removed then. */
KINDRED_API kindred_status kindred_graph_remove_nodes(kindred_graph* graph, const uint32_t* nodes,
                                                      size_t count) KINDRED_NOEXCEPT;
/** Merges the rebuilt rows into the graph immediately. Other calls continue meanwhile. */
KINDRED_API kindred_status kindred_graph_merge(kindred_graph* graph) KINDRED_NOEXCEPT;
/** Writes the graph and its names to a file, atomically: the file at `path` is the old or the
 * new one. */
KINDRED_API kindred_status kindred_graph_save(const kindred_graph* graph,
                                              const char* path) KINDRED_NOEXCEPT;
/** The bytes of the file that kindred_graph_save writes. */
KINDRED_API kindred_status kindred_graph_to_bytes(const kindred_graph* graph,
                                                  kindred_string** bytes) KINDRED_NOEXCEPT;
/** Spreads activation, or computes PageRank, from the sources of every query.
 *  @param nodes,values the sources of query i are nodes[offsets[i] ... offsets[i + 1]) with
 * their values */
KINDRED_API kindred_status kindred_graph_spread(
    const kindred_graph* graph, const uint32_t* nodes, const float* values, const uint64_t* offsets,
    size_t queries, KINDRED_OPTIONAL const kindred_spread_options* options,
    kindred_results** results) KINDRED_NOEXCEPT;
/** The same for sources and results in tensors, which are on the host or on a device where the
 * graph is too. Row i of the results has those of query i, padded with the node -1 (uint32:
 * 4294967295) and the activation 0. `trace_paths` must be 0. On a stream, the mode is not
 * PageRank, `per_query` is NULL, and contents cannot be refused: a query with a source that
 * would be, or with invalid offsets, has the node -1 and the activation NaN in its whole row.
 *  @param offsets int32 or int64, queries + 1
 *  @param nodes int32 or uint32, one per source
 *  @param values float32, one per source
 *  @param out_nodes int32 or uint32, queries * top
 *  @param out_values float32, queries * top */
KINDRED_API kindred_status kindred_graph_spread_arrays(
    const kindred_graph* graph, const DLTensor* offsets, const DLTensor* nodes,
    const DLTensor* values, KINDRED_OPTIONAL const kindred_spread_options* options,
    DLTensor* out_nodes, DLTensor* out_values,
    KINDRED_OPTIONAL kindred_record* record) KINDRED_NOEXCEPT;
/** One hop: the sparse matrix-vector product, for one or more columns, with reproducible sums.
 * On a stream, a call fences only if its workspace must grow, kinds or modifiers differ from
 * those of the previous call, or the graph has changed.
 *  @param x,y float32 [nodes], or [nodes, columns] without gaps, which do not overlap; on the
 * host or on a device where the graph is too */
KINDRED_API kindred_status
kindred_graph_hop(const kindred_graph* graph, const DLTensor* x, DLTensor* y,
                  KINDRED_OPTIONAL const kindred_hop_options* options,
                  KINDRED_OPTIONAL kindred_record* record) KINDRED_NOEXCEPT;

/** One hop over compressed sparse rows without a graph, in host memory. Against the edges, which
 * is the direction of the rows, they are used in place; along the edges they are transposed
 * first.
 *  @param offsets,ends,weights as of kindred_graph_create_csr
 *  @param x,y float32, nodes or nodes * columns without gaps, which do not overlap
 *  @param direction KINDRED_HOP_ALONG or KINDRED_HOP_AGAINST */
KINDRED_API kindred_status kindred_hop_csr_arrays(
    kindred_context* context, const DLTensor* offsets, const DLTensor* ends,
    KINDRED_OPTIONAL const DLTensor* weights, const DLTensor* x, int32_t direction, int32_t space,
    DLTensor* y, KINDRED_OPTIONAL kindred_record* record) KINDRED_NOEXCEPT;
/** The same for one column and plain pointers.
 *  @param offsets nodes + 1 numbers, from 0 to the number of edges
 *  @param ends one per edge
 *  @param weights one per edge; NULL: all weights are 1
 *  @param x,y nodes numbers each
 *  @param direction KINDRED_HOP_ALONG or KINDRED_HOP_AGAINST */
KINDRED_API kindred_status kindred_hop_csr(kindred_context* context, const int32_t* offsets,
                                           const int32_t* ends,
                                           KINDRED_OPTIONAL const float* weights, size_t nodes,
                                           const float* x, float* y,
                                           int32_t direction) KINDRED_NOEXCEPT;

/** Sets Engram's strengths.
 *  @param fan -1: without the fan effect; otherwise KINDRED_FAN_INVERSE or
 * KINDRED_FAN_INVERSE_ROOT of concepts (kind 0) */
KINDRED_API kindred_status kindred_modifiers_engram(kindred_modifiers* modifiers,
                                                    size_t struct_size,
                                                    int32_t fan) KINDRED_NOEXCEPT;

/* ---- Seeds: their states and rules, and blueprints ---- */

/* The state of a seed. From grafting to fossilized it applies its blueprint. */
enum {
  KINDRED_SEED_DORMANT = 0, /* copies its features, as all states that do not apply a blueprint */
  KINDRED_SEED_GERMINATED = 1, /* has a blueprint */
  KINDRED_SEED_TRAINING = 2,   /* the weights are trained elsewhere */
  KINDRED_SEED_GRAFTING = 3,   /* alpha rises */
  KINDRED_SEED_STABILIZATION = 4,
  KINDRED_SEED_EVALUATING = 5,
  KINDRED_SEED_FINE_TUNING = 6,
  KINDRED_SEED_FOSSILIZED = 7,  /* permanent */
  KINDRED_SEED_CULLED = 8,      /* given up; may be dormant again after an embargo */
  KINDRED_SEED_CANCELLED = 9,   /* given up before it was grafted */
  KINDRED_SEED_ROLLED_BACK = 10 /* given up for good */
};
/* How a seed applies the weights w of its blueprint with alpha a. */
enum {
  KINDRED_APPLY_LINEAR = 0,         /* a*w*x + (1 - a)*x */
  KINDRED_APPLY_MULTIPLICATIVE = 1, /* w*x */
  KINDRED_APPLY_ADDITIVE = 2,       /* x + w */
  KINDRED_APPLY_MIXED = 3           /* x/2 + w/2 */
};
/* How alpha rises while a seed is grafting. */
enum {
  KINDRED_SCHEDULE_LINEAR = 0,           /* in proportion to the epochs */
  KINDRED_SCHEDULE_DRIFT_CONTROLLED = 1, /* linear, with pauses while the weights drift */
  KINDRED_SCHEDULE_MOMENTUM = 2,         /* faster where the performance improves */
  KINDRED_SCHEDULE_ADAPTIVE =
      3, /* as drift_controlled, momentum or linear, depending on the metrics */
  KINDRED_SCHEDULE_STABILITY =
      4 /* linear, and back to an earlier alpha while the metrics are unstable */
};
/* Which telemetry a forward pass writes: none; that of this pass; that of all passes of the epoch.
 */
enum { KINDRED_TELEMETRY_NONE = 0, KINDRED_TELEMETRY_LAST = 1, KINDRED_TELEMETRY_MERGED = 2 };
/* The origin of a transition: it does not exist, Kasmina's table, or an addition of its design. */
enum { KINDRED_TRANSITION_NONE = 0, KINDRED_TRANSITION_TABLE = 1, KINDRED_TRANSITION_DESIGN = 2 };
/* The fields of a kindred_seed_update that are set, as bits. */
enum {
  KINDRED_FIELD_LIFECYCLE = 1,
  KINDRED_FIELD_BLUEPRINT = 2,
  KINDRED_FIELD_EPOCHS = 4,
  KINDRED_FIELD_MODE = 8,
  KINDRED_FIELD_ALPHA = 16,
  KINDRED_FIELD_SCHEDULE = 32,
  KINDRED_FIELD_CHECKPOINT = 64,
  KINDRED_FIELD_EVALUATION = 128,
  KINDRED_FIELD_ERRORS = 256
};
/* The metrics that are given, as bits. */
enum {
  KINDRED_METRIC_RECONSTRUCTION_LOSS = 1,
  KINDRED_METRIC_PERFORMANCE_DELTA = 2,
  KINDRED_METRIC_STABILITY_SCORE = 4,
  KINDRED_METRIC_ERROR_RATE = 8,
  KINDRED_METRIC_TOTAL_IMPROVEMENT = 16,
  KINDRED_METRIC_FINAL_STABILITY = 32,
  KINDRED_METRIC_LOSS_VARIANCE = 64,
  KINDRED_METRIC_GRADIENT_NORM = 128,
  KINDRED_METRIC_ACCURACY_VARIANCE = 256
};

/* Number of transitions that a seed stores. */
#define KINDRED_SEED_HISTORY 10
/* Below it, the health of a seed is bad. */
#define KINDRED_SEED_HEALTH_MIN 0.7

/** Receives every lifecycle change. The returned value is ignored. */
typedef int (*kindred_transition_callback)(void* user, uint32_t seed, int32_t from, int32_t to);

/** A completed transition. */
typedef struct kindred_seed_change {
  int32_t from; /* KINDRED_SEED_... */
  int32_t to;   /* KINDRED_SEED_... */
} kindred_seed_change;

/** The last transitions of a seed, newest first. */
typedef struct kindred_seed_history {
  kindred_seed_change changes[KINDRED_SEED_HISTORY];
  uint32_t count;
  uint32_t reserved; /* 0 */
} kindred_seed_history;

/** The state of one seed. */
typedef struct kindred_seed_state {
  int32_t lifecycle;  /* KINDRED_SEED_... */
  int32_t parent;     /* the previous state */
  int32_t blueprint;  /* -1: none */
  int32_t checkpoint; /* -1: none */
  int32_t mode;       /* KINDRED_APPLY_... */
  int32_t schedule;   /* KINDRED_SCHEDULE_... */
  int32_t epochs;     /* in the current state */
  int32_t errors;
  float alpha;
  float evaluation;
} kindred_seed_state;

/** New values of some fields of a seed. */
typedef struct kindred_seed_update {
  uint32_t seed;
  uint32_t fields;           /* bits KINDRED_FIELD_... */
  kindred_seed_state values; /* `parent` is not used */
} kindred_seed_update;

/** A lifecycle change that a layer made on its own. */
typedef struct kindred_seed_event {
  uint32_t seed;
  int32_t from;  /* KINDRED_SEED_... */
  int32_t to;    /* KINDRED_SEED_... */
  char why[116]; /* longer reasons are cut */
} kindred_seed_event;

/** Telemetry of a seed. */
typedef struct kindred_seed_telemetry {
  uint64_t count; /* elements */
  double mean;
  double variance;
  double dead_ratio;
  float min;
  float max;
} kindred_seed_telemetry;

/** Metrics that are measured outside of a layer. */
typedef struct kindred_seed_metrics {
  size_t struct_size;
  uint64_t given;             /* bits KINDRED_METRIC_... */
  double reconstruction_loss; /* for grafting; not given: infinite */
  double performance_delta;   /* for fine_tuning and culled, and for schedules; not given: 0 */
  double stability_score;     /* for fine_tuning; not given: 0 */
  double error_rate;          /* for culled, and to abort a graft; not given: 0 */
  double total_improvement;   /* for fossilized; not given: 0 */
  double final_stability;     /* for fossilized; not given: 0 */
  double loss_variance;       /* for the schedule stability; not given: stable */
  double gradient_norm;       /* for the schedule stability; not given: stable */
  double accuracy_variance;   /* for the schedule stability; not given: stable */
  const float* weights;       /* float32 [count], whose drift is monitored by schedules */
  uint64_t weights_size;
} kindred_seed_metrics;
#define KINDRED_SEED_METRICS_INIT \
  { sizeof(kindred_seed_metrics), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0 }

/** Options of a layer. `hidden` and `seeds` must be set. */
typedef struct kindred_seeds_options {
  size_t struct_size;
  uint32_t hidden; /* features of a row */
  uint32_t seeds;
  uint32_t telemetry_epochs;      /* epochs whose telemetry is kept, at most 1048576; 0: none */
  int32_t residency;              /* KINDRED_RESIDENCY_... */
  uint64_t blueprint_bytes;       /* memory on a device for weights that are in use */
  double reconstruction_loss_max; /* for grafting */
  double stability_min;           /* for fine_tuning */
  double total_improvement_min;   /* for fossilized */
  double final_stability_min;     /* for fossilized */
  double performance_loss;        /* below it an evaluated seed may be culled */
  double error_rate_max;          /* above it too */
  int32_t errors_max;             /* above it too; a seed whose errors reach it is culled */
  int32_t embargo_epochs;         /* epochs in culled before dormant */
  double ramp_epochs;             /* epochs in which alpha rises from 0 to 1, above 0 */
  double drift_threshold;         /* above it a ramp pauses, at least 0 */
  double momentum;                /* of the velocity, from 0 to below 1 */
  double alpha_min;               /* from 0 to alpha_max */
  double alpha_max;               /* from alpha_min to 1 */
  double abort_error_rate;        /* above it a graft is aborted */
  int32_t pause_epochs;           /* at least 0 */
  int32_t stability_window;       /* epochs between checks, at least 1 */
  kindred_transition_callback on_transition; /* NULL: none */
  void* transition_user;
} kindred_seeds_options;
#define KINDRED_SEEDS_OPTIONS_INIT                                                             \
  {                                                                                            \
    sizeof(kindred_seeds_options), 0, 0, 8, KINDRED_RESIDENCY_AUTOMATIC, 268435456, 0.01, 0.8, \
        0.01, 0.95, -0.05, 0.1, 5, 100, 50, 0.01, 0.1, 0, 1, 0.5, 10, 5, NULL, NULL            \
  }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_seeds_options_init(kindred_seeds_options* options,
                                                      size_t struct_size) KINDRED_NOEXCEPT;

/** A set of weights. The pointers are valid until the blueprints change or are destroyed. */
typedef struct kindred_blueprint {
  size_t struct_size;
  const char* name;
  uint64_t name_size;
  const float* weights; /* weight f applies to feature f */
  uint64_t weights_size;
  uint64_t version; /* 1 for a new set, incremented by every replacement */
} kindred_blueprint;
#define KINDRED_BLUEPRINT_INIT \
  { sizeof(kindred_blueprint), NULL, 0, NULL, 0, 0 }

/** Creates blueprints without a set. Calls that change them are not thread-safe. */
KINDRED_API kindred_status kindred_blueprints_create(kindred_blueprints** blueprints)
    KINDRED_NOEXCEPT;
/** Loads the sets of a file of kindred_blueprints_save or of kindred_seeds_save_blueprints. */
KINDRED_API kindred_status
kindred_blueprints_load(const char* path, kindred_blueprints** blueprints) KINDRED_NOEXCEPT;
/** Frees a handle. */
KINDRED_API kindred_status
kindred_blueprints_destroy(KINDRED_OPTIONAL kindred_blueprints* blueprints) KINDRED_NOEXCEPT;
/** Writes all sets to a file, atomically. */
KINDRED_API kindred_status kindred_blueprints_save(const kindred_blueprints* blueprints,
                                                   const char* path) KINDRED_NOEXCEPT;
/** Number of assigned ids, which are those below it, including those of removed sets. */
KINDRED_API kindred_status kindred_blueprints_size(const kindred_blueprints* blueprints,
                                                   size_t* size) KINDRED_NOEXCEPT;
/** The id of the set of a name. KINDRED_NOT_FOUND if there is none. */
KINDRED_API kindred_status kindred_blueprints_find(const kindred_blueprints* blueprints,
                                                   const char* name, size_t size,
                                                   int32_t* id) KINDRED_NOEXCEPT;
/** A set. KINDRED_NOT_FOUND for an id that was never assigned or was removed. */
KINDRED_API kindred_status kindred_blueprints_get(const kindred_blueprints* blueprints, int32_t id,
                                                  kindred_blueprint* blueprint) KINDRED_NOEXCEPT;
/** Adds a set. KINDRED_INVALID for no weights, an empty name or an existing name. */
KINDRED_API kindred_status kindred_blueprints_add(kindred_blueprints* blueprints, const char* name,
                                                  size_t size, const float* weights, size_t count,
                                                  int32_t* id) KINDRED_NOEXCEPT;
/** Replaces the weights of a set by as many others. */
KINDRED_API kindred_status kindred_blueprints_replace(kindred_blueprints* blueprints, int32_t id,
                                                      const float* weights,
                                                      size_t count) KINDRED_NOEXCEPT;
/** Removes a set, whose id is not assigned again. */
KINDRED_API kindred_status kindred_blueprints_remove(kindred_blueprints* blueprints,
                                                     int32_t id) KINDRED_NOEXCEPT;

/** Creates a schedule, which computes the alpha of one grafting seed. Not thread-safe.
 *  @param kind KINDRED_SCHEDULE_...
 *  @param options whose settings of schedules apply */
KINDRED_API kindred_status
kindred_schedule_create(int32_t kind, KINDRED_OPTIONAL const kindred_seeds_options* options,
                        kindred_schedule** schedule) KINDRED_NOEXCEPT;
/** Frees a handle. */
KINDRED_API kindred_status kindred_schedule_destroy(KINDRED_OPTIONAL kindred_schedule* schedule)
    KINDRED_NOEXCEPT;
/** KINDRED_SCHEDULE_... */
KINDRED_API kindred_status kindred_schedule_kind(const kindred_schedule* schedule,
                                                 int32_t* kind) KINDRED_NOEXCEPT;
/** The alpha of an epoch of the graft. A metric that is not given counts as stable, NaN as
 * unstable.
 *  @param alpha the current one */
KINDRED_API kindred_status kindred_schedule_next(
    kindred_schedule* schedule, int64_t epoch, double alpha,
    KINDRED_OPTIONAL const kindred_seed_metrics* metrics, double* next) KINDRED_NOEXCEPT;
/** Whether the graft must be aborted. */
KINDRED_API kindred_status kindred_schedule_aborts(
    const kindred_schedule* schedule, KINDRED_OPTIONAL const kindred_seed_metrics* metrics,
    int32_t* aborts) KINDRED_NOEXCEPT;
/** The internal numbers; `capacity` and `count` as for kindred_seeds_schedule_state. */
KINDRED_API kindred_status kindred_schedule_state(const kindred_schedule* schedule, double* numbers,
                                                  size_t capacity, size_t* count) KINDRED_NOEXCEPT;
/** Sets them. KINDRED_INVALID, changing nothing, for numbers that are no state of the schedule. */
KINDRED_API kindred_status kindred_schedule_set_state(kindred_schedule* schedule,
                                                      const double* numbers,
                                                      size_t count) KINDRED_NOEXCEPT;

/** Health of a seed from 0 to 1, by the variance and the share of dead elements; 0 without data. */
KINDRED_API kindred_status kindred_seed_health(const kindred_seed_telemetry* telemetry,
                                               double* health) KINDRED_NOEXCEPT;
/** The origin of a transition; KINDRED_TRANSITION_NONE also for states that do not exist. */
KINDRED_API kindred_status kindred_seed_transition_origin(int32_t from, int32_t to,
                                                          int32_t* origin) KINDRED_NOEXCEPT;
/** The least number of epochs in a state before a transition, except one to ROLLED_BACK.
 *  @param options of which `embargo_epochs` is used */
KINDRED_API kindred_status
kindred_seed_minimum_epochs(int32_t from, KINDRED_OPTIONAL const kindred_seeds_options* options,
                            int32_t* epochs) KINDRED_NOEXCEPT;
/** Whether a seed may go to a state. Changes nothing.
 *  @param seed of which lifecycle, epochs, blueprint and errors are used
 *  @param options whose rules apply
 *  @param why the reason of a refusal, or an empty text; must be destroyed */
KINDRED_API kindred_status kindred_seed_check_transition(
    const kindred_seed_state* seed, int32_t to,
    KINDRED_OPTIONAL const kindred_seed_metrics* metrics,
    KINDRED_OPTIONAL const kindred_seeds_options* options, int32_t* accepted,
    KINDRED_OPTIONAL kindred_string** why) KINDRED_NOEXCEPT;

/* ---- SeedLayer: seeds that own slices of the hidden dimension ---- */

/** Options of a pass. */
typedef struct kindred_seeds_call {
  size_t struct_size;
  int32_t telemetry;  /* KINDRED_TELEMETRY_... */
  int32_t space;      /* instead of the dispatcher's choice */
  int32_t has_stream; /* nonzero: `stream`, which must outlive the layer, orders a pass on rows on a
                         device */
  int32_t reserved;   /* 0 */
  void* stream;
} kindred_seeds_call;
#define KINDRED_SEEDS_CALL_INIT \
  { sizeof(kindred_seeds_call), KINDRED_TELEMETRY_LAST, KINDRED_SPACE_ANY, 0, 0, NULL }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_seeds_call_init(kindred_seeds_call* options,
                                                   size_t struct_size) KINDRED_NOEXCEPT;

/** Size and state of a layer. */
typedef struct kindred_seeds_statistics {
  size_t struct_size;
  uint64_t epoch; /* number of steps so far */
  uint32_t hidden;
  uint32_t seeds;
  int32_t on_device;
  int32_t reserved;
} kindred_seeds_statistics;
#define KINDRED_SEEDS_STATISTICS_INIT \
  { sizeof(kindred_seeds_statistics), 0, 0, 0, 0, 0 }

/** Creates a layer of dormant seeds. KINDRED_NO_SPACE: the context cannot use the memory of
 * `residency`. */
KINDRED_API kindred_status kindred_seeds_create(kindred_context* context,
                                                const kindred_seeds_options* options,
                                                kindred_seeds** seeds) KINDRED_NOEXCEPT;
/** Frees a handle. */
KINDRED_API kindred_status kindred_seeds_destroy(KINDRED_OPTIONAL kindred_seeds* seeds)
    KINDRED_NOEXCEPT;
/** Size and state. */
KINDRED_API kindred_status kindred_seeds_get_statistics(
    const kindred_seeds* seeds, kindred_seeds_statistics* info) KINDRED_NOEXCEPT;
/** Why the device cannot run forward passes on its rows; empty if it can. */
KINDRED_API kindred_status kindred_seeds_device_trouble(const kindred_seeds* seeds,
                                                        kindred_string** why) KINDRED_NOEXCEPT;
/** The first feature of a seed. */
KINDRED_API kindred_status kindred_seeds_chunk_begin(const kindred_seeds* seeds, uint32_t seed,
                                                     uint32_t* feature) KINDRED_NOEXCEPT;
/** Adds a set of weights, of which weight i is that of feature i. */
KINDRED_API kindred_status kindred_seeds_add_blueprint(kindred_seeds* seeds, const char* name,
                                                       size_t size, const float* weights,
                                                       size_t count,
                                                       int32_t* blueprint) KINDRED_NOEXCEPT;
/** Replaces the weights of a set by as many others, and increments its version.
 * KINDRED_NOT_FOUND: there is no such blueprint. */
KINDRED_API kindred_status kindred_seeds_replace_blueprint(kindred_seeds* seeds, int32_t blueprint,
                                                           const float* weights,
                                                           size_t count) KINDRED_NOEXCEPT;
/** Removes a set that no seed uses. KINDRED_NOT_FOUND: there is no such blueprint. */
KINDRED_API kindred_status kindred_seeds_remove_blueprint(kindred_seeds* seeds,
                                                          int32_t blueprint) KINDRED_NOEXCEPT;
/** Copies of all blueprints, which later changes of the layer do not change. */
KINDRED_API kindred_status kindred_seeds_blueprints(
    const kindred_seeds* seeds, kindred_blueprints** blueprints) KINDRED_NOEXCEPT;
/** Writes all blueprints to a file, atomically. */
KINDRED_API kindred_status kindred_seeds_save_blueprints(const kindred_seeds* seeds,
                                                         const char* path) KINDRED_NOEXCEPT;
/** Replaces all blueprints by those of a file. KINDRED_NOT_FOUND: there is no such file.
 * KINDRED_CORRUPT: it is damaged. */
KINDRED_API kindred_status kindred_seeds_restore_blueprints(kindred_seeds* seeds,
                                                            const char* path) KINDRED_NOEXCEPT;
/** A copy of the state of all seeds.
 *  @param states at most `capacity` are written
 *  @param histories as many, for the transitions of the seeds
 *  @param count number of seeds; if it exceeds `capacity`, the call fails with KINDRED_INVALID,
 * and sets only this */
KINDRED_API kindred_status kindred_seeds_states(const kindred_seeds* seeds,
                                                kindred_seed_state* states,
                                                KINDRED_OPTIONAL kindred_seed_history* histories,
                                                size_t capacity, size_t* count) KINDRED_NOEXCEPT;
/** Replaces the state of all seeds. Schedules of grafting seeds restart. KINDRED_INVALID for
 * values out of range, another number of seeds, and a blueprint that does not exist or is too
 * short.
 *  @param states count, one per seed
 *  @param histories as many; NULL: no transitions */
KINDRED_API kindred_status kindred_seeds_set_states(
    kindred_seeds* seeds, const kindred_seed_state* states,
    KINDRED_OPTIONAL const kindred_seed_history* histories, size_t count) KINDRED_NOEXCEPT;
/** Sets fields of seeds; the rules of transitions are not checked. */
KINDRED_API kindred_status kindred_seeds_update(kindred_seeds* seeds,
                                                const kindred_seed_update* updates,
                                                size_t count) KINDRED_NOEXCEPT;
/** Requests a transition. A refusal gives the reason and changes nothing.
 *  @param accepted 0 if it is refused
 *  @param why the reason of a refusal, or an empty text; must be destroyed */
KINDRED_API kindred_status
kindred_seeds_request(kindred_seeds* seeds, uint32_t seed, int32_t to,
                      KINDRED_OPTIONAL const kindred_seed_metrics* metrics, int32_t* accepted,
                      KINDRED_OPTIONAL kindred_string** why) KINDRED_NOEXCEPT;
/** Germinates a dormant seed with a blueprint; otherwise as kindred_seeds_request. */
KINDRED_API kindred_status kindred_seeds_germinate(
    kindred_seeds* seeds, uint32_t seed, int32_t blueprint, int32_t mode, int32_t schedule,
    int32_t* accepted, KINDRED_OPTIONAL kindred_string** why) KINDRED_NOEXCEPT;
/** Counts an error of a seed, which is culled when its errors reach `errors_max`.
 *  @param culled 1 if the seed was culled */
KINDRED_API kindred_status kindred_seeds_report_error(
    kindred_seeds* seeds, uint32_t seed, KINDRED_OPTIONAL int32_t* culled) KINDRED_NOEXCEPT;
/** Ends an epoch: counts it, and advances the alphas of grafting seeds and the telemetry.
 * KINDRED_INVALID for another number of metrics than 0, 1 and the number of seeds.
 *  @param metrics metrics_count pointers: one for all seeds, or one per seed
 *  @param events the changes that the layer made, in order of the seeds; at most `capacity` are
 * written
 *  @param count number of changes, which may exceed `capacity` */
KINDRED_API kindred_status kindred_seeds_step(kindred_seeds* seeds,
                                              const kindred_seed_metrics* const* metrics,
                                              size_t metrics_count, kindred_seed_event* events,
                                              size_t capacity,
                                              KINDRED_OPTIONAL size_t* count) KINDRED_NOEXCEPT;
/** The numbers of the schedule of a grafting seed. KINDRED_NOT_FOUND for a seed that is not
 * grafting.
 *  @param numbers at most `capacity` are written
 *  @param count how many there are; if they exceed `capacity`, the call fails with
 * KINDRED_INVALID, and sets only this */
KINDRED_API kindred_status kindred_seeds_schedule_state(const kindred_seeds* seeds, uint32_t seed,
                                                        double* numbers, size_t capacity,
                                                        size_t* count) KINDRED_NOEXCEPT;
/** Restores the numbers of kindred_seeds_schedule_state of a seed. */
KINDRED_API kindred_status kindred_seeds_set_schedule_state(kindred_seeds* seeds, uint32_t seed,
                                                            const double* numbers,
                                                            size_t count) KINDRED_NOEXCEPT;
/** The seeds applied to the rows of x, on the host or on a device. A call on a device does not
 * fence, even without a stream of the caller: then it is ordered by the stream of the context.
 * KINDRED_NO_SPACE: the call cannot run in `space`.
 *  @param x,y rows * hidden of float32, float16 or bfloat16, both in the same memory; rows may
 * have gaps between them; y may be x */
KINDRED_API kindred_status
kindred_seeds_forward(kindred_seeds* seeds, const DLTensor* x, DLTensor* y,
                      KINDRED_OPTIONAL const kindred_seeds_call* options,
                      KINDRED_OPTIONAL kindred_record* record) KINDRED_NOEXCEPT;
/** The gradients of kindred_seeds_forward with respect to x and the weights, for the current
 * state. Other arguments and failures as there.
 *  @param gradient with respect to y, of the type of x
 *  @param dx of the type and shape of x
 *  @param dw float32, one per feature, in the same memory */
KINDRED_API kindred_status kindred_seeds_backward(
    kindred_seeds* seeds, const DLTensor* x, const DLTensor* gradient, DLTensor* dx, DLTensor* dw,
    KINDRED_OPTIONAL const kindred_seeds_call* options,
    KINDRED_OPTIONAL kindred_record* record) KINDRED_NOEXCEPT;
/** Whether an epoch that is kept had a forward pass with telemetry.
 *  @param age of the epoch; 0: the current one */
KINDRED_API kindred_status kindred_seeds_has_telemetry(const kindred_seeds* seeds, uint32_t age,
                                                       int32_t* has) KINDRED_NOEXCEPT;
/** Starts the transfer of the telemetry of an epoch from a device, for a later
 * kindred_seeds_telemetry. Does not fence. KINDRED_NOT_FOUND: the epoch is not kept, or had no
 * forward pass.
 *  @param age of the epoch; 0: the current one */
KINDRED_API kindred_status kindred_seeds_start_telemetry(kindred_seeds* seeds,
                                                         uint32_t age) KINDRED_NOEXCEPT;
/** The telemetry of every seed in an epoch. KINDRED_NOT_FOUND: the epoch is not kept, or had no
 * forward pass.
 *  @param age of the epoch; 0: the current one
 *  @param telemetry at most `capacity` are written
 *  @param count number of seeds; if it exceeds `capacity`, the call fails with KINDRED_INVALID,
 * and sets only this */
KINDRED_API kindred_status kindred_seeds_telemetry(kindred_seeds* seeds, uint32_t age,
                                                   kindred_seed_telemetry* telemetry,
                                                   size_t capacity, size_t* count) KINDRED_NOEXCEPT;
/** The telemetry of several epochs and seeds, merged.
 *  @param epochs how many, including the current one
 *  @param first the first seed
 *  @param count number of seeds
 *  @param each one per seed
 *  @param whole of all of them as one */
KINDRED_API kindred_status kindred_seeds_reduce_telemetry(
    kindred_seeds* seeds, uint32_t epochs, uint32_t first, size_t count,
    kindred_seed_telemetry* each, KINDRED_OPTIONAL kindred_seed_telemetry* whole) KINDRED_NOEXCEPT;
/** Writes state, history, schedules and the names of the blueprints, without their weights and
 * the telemetry, to a file, atomically. */
KINDRED_API kindred_status kindred_seeds_save(const kindred_seeds* seeds,
                                              const char* path) KINDRED_NOEXCEPT;
/** Restores what kindred_seeds_save wrote, into a layer with as many features and seeds and the
 * same blueprints. KINDRED_NOT_FOUND: there is no such file. KINDRED_CORRUPT: it is damaged. */
KINDRED_API kindred_status kindred_seeds_restore(kindred_seeds* seeds,
                                                 const char* path) KINDRED_NOEXCEPT;

/* ---- Passes of seeds: sequences, and states and weights in tensors ---- */

/* What the codes in `mode` mean: those of KINDRED_APPLY_..., where another code copies the
 * features; 0 linear, 1 multiplicative, every other code additive; 0 multiplicative, 1 additive,
 * every other code mixed. */
enum { KINDRED_MODES_KINDRED = 0, KINDRED_MODES_KASMINA_V2 = 1, KINDRED_MODES_KASMINA_SIMPLE = 2 };

/** The seeds of a pass; all tensors must be set. Their values are not checked: a seed changes
 * its features if its lifecycle applies a blueprint, its mode has a meaning and its blueprint is
 * a row of `weights`, and copies them otherwise. */
typedef struct kindred_seed_arrays {
  size_t struct_size;
  const DLTensor* lifecycle; /* int32, int8 or uint8, one per seed: KINDRED_SEED_... */
  const DLTensor* blueprint; /* int32, one per seed: rows of `weights` */
  const DLTensor* mode;      /* int32, int8 or uint8, one per seed */
  const DLTensor* alpha;     /* float32, one per seed; used as it is, also outside 0 ... 1 */
  const DLTensor* weights;   /* float32, blueprints * hidden */
  uint32_t chunk_size; /* features per seed, of which those behind the last seed belong to none; 0:
                          chunks of equal width, as of a layer */
  int32_t mode_codes;  /* KINDRED_MODES_... */
  int32_t fossilized_applies; /* 0: a fossilized seed copies its features; nonzero: it applies its
                                 blueprint with an alpha of 1 */
  int32_t reserved;           /* 0 */
} kindred_seed_arrays;
#define KINDRED_SEED_ARRAYS_INIT \
  { sizeof(kindred_seed_arrays), NULL, NULL, NULL, NULL, NULL, 0, KINDRED_MODES_KINDRED, 1, 0 }

/** The tensors that receive the telemetry of a pass, which replaces what they contain; one
 * element per seed. NULL: not computed. */
typedef struct kindred_seed_sums {
  size_t struct_size;
  DLTensor* sum;            /* float32 or float64 */
  DLTensor* sum_of_squares; /* float32 or float64 */
  DLTensor* count;          /* int32, int64, float32 or float64 */
} kindred_seed_sums;
#define KINDRED_SEED_SUMS_INIT \
  { sizeof(kindred_seed_sums), NULL, NULL, NULL }

/** Options of these passes. */
typedef struct kindred_seed_pass_options {
  size_t struct_size;
  int32_t space;      /* for tensors on the host: serial or openmp; KINDRED_SPACE_ANY: chosen */
  int32_t has_stream; /* nonzero: `stream` orders a pass on a device */
  void* stream;
  DLTensor*
      workspace; /* for a pass on a device: uint8 there, aligned to 64 bytes, with any contents; the
                    next pass on the same stream may use it again. NULL if none is needed */
  uint64_t*
      workspace_bytes; /* not NULL: the call checks the seeds, x and `sums`, writes the size of the
                          workspace that it needs there, 0 on the host, and computes nothing */
} kindred_seed_pass_options;
#define KINDRED_SEED_PASS_OPTIONS_INIT \
  { sizeof(kindred_seed_pass_options), KINDRED_SPACE_ANY, 0, NULL, NULL, NULL }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_seed_pass_options_init(kindred_seed_pass_options* options,
                                                          size_t struct_size) KINDRED_NOEXCEPT;

/** Creates a sequence without passes. A run is one launch per pass and, on a device, one call of
 * the driver in all. Not thread-safe; the layers must not change during a call. The function
 * that destroys it waits for the last run.
 *  @param options of which `space`, where the rows are (KINDRED_SPACE_ANY: the host), and the
 * stream are used; the stream must outlive the sequence */
KINDRED_API kindred_status kindred_seed_sequence_create(
    kindred_context* context, KINDRED_OPTIONAL const kindred_seeds_call* options,
    kindred_seed_sequence** seed_sequence) KINDRED_NOEXCEPT;
/** Frees a handle. */
KINDRED_API kindred_status kindred_seed_sequence_destroy(
    KINDRED_OPTIONAL kindred_seed_sequence* seed_sequence) KINDRED_NOEXCEPT;
/** Appends a forward pass. The rows must stay in place as long as the sequence is used. The
 * sequence keeps the layer alive. KINDRED_NO_SPACE: the pass cannot run in the space of the
 * sequence.
 *  @param x,y as for kindred_seeds_forward, in the memory of the space
 *  @param telemetry KINDRED_TELEMETRY_NONE or KINDRED_TELEMETRY_LAST */
KINDRED_API kindred_status kindred_seed_sequence_add(kindred_seed_sequence* seed_sequence,
                                                     const kindred_seeds* seeds, const DLTensor* x,
                                                     DLTensor* y,
                                                     int32_t telemetry) KINDRED_NOEXCEPT;
/** The number of passes. */
KINDRED_API kindred_status kindred_seed_sequence_size(const kindred_seed_sequence* seed_sequence,
                                                      size_t* size) KINDRED_NOEXCEPT;
/** Runs all passes in order. On a device, fences only the first time and after a change of a
 * layer; on the host, the results are complete on return. */
KINDRED_API kindred_status kindred_seed_sequence_run(kindred_seed_sequence* seed_sequence)
    KINDRED_NOEXCEPT;
/** Waits for the last run, on a device. */
KINDRED_API kindred_status kindred_seed_sequence_wait(kindred_seed_sequence* seed_sequence)
    KINDRED_NOEXCEPT;

/** Applies seeds, whose state and weights are arrays, to the rows of x. The bits are those of
 * kindred_seeds_forward for the same state. All tensors are on the host, or all are on a device.
 * There, the call does not fence, even without a stream of the caller, allocates nothing and
 * copies nothing to the host, so that it can be captured in a CUDA graph. KINDRED_NO_SPACE: the
 * call cannot run in `space`.
 *  @param x,y rows * hidden of float32, float16 or bfloat16; y may be x with the same element
 * type and strides, and must not overlap any other tensor
 *  @param sums telemetry, rounded once from double to the element types */
KINDRED_API kindred_status
kindred_forward_seeds(kindred_context* context, const kindred_seed_arrays* seeds, const DLTensor* x,
                      DLTensor* y, KINDRED_OPTIONAL const kindred_seed_sums* sums,
                      KINDRED_OPTIONAL const kindred_seed_pass_options* options,
                      KINDRED_OPTIONAL kindred_record* record) KINDRED_NOEXCEPT;
/** The gradients of kindred_forward_seeds with respect to x, the weights and the alphas. Other
 * arguments as there. Fences as it does. KINDRED_NO_SPACE: the call cannot run in `space`.
 *  @param gradient with respect to y, of the element type and shape of x
 *  @param dx of the type and shape of x; may be `gradient`
 *  @param dweights float32, blueprints * hidden; NULL: not computed
 *  @param dalpha float32, one per seed; NULL: not computed */
KINDRED_API kindred_status kindred_backward_seeds(
    kindred_context* context, const kindred_seed_arrays* seeds, const DLTensor* x,
    const DLTensor* gradient, DLTensor* dx, KINDRED_OPTIONAL DLTensor* dweights,
    KINDRED_OPTIONAL DLTensor* dalpha, KINDRED_OPTIONAL const kindred_seed_pass_options* options,
    KINDRED_OPTIONAL kindred_record* record) KINDRED_NOEXCEPT;

/* ---- Fused layers: lists of them, on the host or on a device ---- */

/* What follows a layer; GELU is the one with erf. */
enum { KINDRED_ACTIVATION_NONE = 0, KINDRED_ACTIVATION_RELU = 1, KINDRED_ACTIVATION_GELU = 2 };

/** Options of a call. */
typedef struct kindred_layer_options {
  size_t struct_size;
  int32_t reproducible; /* of linear layers; nonzero: the same bits on every space, but slower */
  int32_t space;        /* KINDRED_SPACE_ANY: the device for tensors there, otherwise the host */
  int32_t has_stream;   /* nonzero: `stream` orders a call on tensors on a device */
  int32_t reserved;     /* 0 */
  void* stream;
  DLTensor* workspace; /* for a call on a stream that is not prepared: uint8 on the device, aligned
                          to 256 bytes, with any contents; the next call on the same stream may use
                          it again. NULL: the context keeps one per stream */
} kindred_layer_options;
#define KINDRED_LAYER_OPTIONS_INIT \
  { sizeof(kindred_layer_options), 0, KINDRED_SPACE_ANY, 0, 0, NULL, NULL }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_layer_options_init(kindred_layer_options* options,
                                                      size_t struct_size) KINDRED_NOEXCEPT;

/** y = act((x - mean) / sqrt(variance + epsilon) * gamma + beta), row by row. Matrices have
 * elements of float32, float16 or bfloat16, and may have gaps between their rows. Vectors are
 * float32 without gaps; NULL vectors of input stand for their defaults, NULL outputs are not
 * computed. This holds for all kinds of layers. */
typedef struct kindred_norm_layer {
  size_t struct_size;
  const DLTensor* x;     /* rows * columns */
  DLTensor* y;           /* of the shape of x; may be x with the same element type and strides */
  const DLTensor* gamma; /* one per column; NULL: 1 */
  const DLTensor* beta;  /* one per column; NULL: 0 */
  DLTensor* mean;        /* output, one per row */
  DLTensor* variance;    /* output, one per row */
  float epsilon;         /* normal and positive */
  int32_t activation;    /* KINDRED_ACTIVATION_... */
} kindred_norm_layer;
#define KINDRED_NORM_LAYER_INIT \
  { sizeof(kindred_norm_layer), NULL, NULL, NULL, NULL, NULL, NULL, 1e-5F, KINDRED_ACTIVATION_GELU }

/** y = act(x W^T + bias). */
typedef struct kindred_linear_layer {
  size_t struct_size;
  const DLTensor* x;    /* rows * inputs */
  const DLTensor* w;    /* outputs * inputs, of the element type of x */
  const DLTensor* bias; /* one per output; NULL: none */
  DLTensor* y;          /* rows * outputs; overlaps neither x nor w */
  int32_t activation;   /* KINDRED_ACTIVATION_... */
  int32_t reserved;     /* 0 */
} kindred_linear_layer;
#define KINDRED_LINEAR_LAYER_INIT \
  { sizeof(kindred_linear_layer), NULL, NULL, NULL, NULL, KINDRED_ACTIVATION_NONE, 0 }

/** The backward pass of a norm layer with the same x, gamma, beta, epsilon and activation. */
typedef struct kindred_norm_gradient {
  size_t struct_size;
  const DLTensor* x;
  const DLTensor* gradient; /* with respect to y; of the shape of x, any element type */
  DLTensor* dx; /* of the shape and element type of x; may be `gradient` with the same element type
                   and strides */
  const DLTensor* gamma;
  const DLTensor* beta;
  DLTensor* dgamma; /* output, one per column */
  DLTensor* dbeta;  /* output, one per column */
  float epsilon;
  int32_t activation; /* KINDRED_ACTIVATION_... */
} kindred_norm_gradient;
#define KINDRED_NORM_GRADIENT_INIT                                                  \
  {                                                                                 \
    sizeof(kindred_norm_gradient), NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1e-5F, \
        KINDRED_ACTIVATION_GELU                                                     \
  }

/** The backward pass of a linear layer with the same x, w, bias and activation. */
typedef struct kindred_linear_gradient {
  size_t struct_size;
  const DLTensor* x;
  const DLTensor* w;
  const DLTensor* bias;
  const DLTensor* gradient; /* with respect to y: rows * outputs, any element type */
  DLTensor* dx;             /* output, rows * inputs */
  DLTensor* dw;             /* output, outputs * inputs */
  DLTensor* dbias;          /* output, one per output */
  int32_t activation;       /* KINDRED_ACTIVATION_... */
  int32_t reserved;         /* 0 */
} kindred_linear_gradient;
#define KINDRED_LINEAR_GRADIENT_INIT                                           \
  {                                                                            \
    sizeof(kindred_linear_gradient), NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
        KINDRED_ACTIVATION_NONE, 0                                             \
  }

/* A call takes `count` pointers to layers; no layer may read what another one writes. If
 * `prepared` is not NULL, it receives the prepared call, which does not run yet; this fences the
 * stream, which must outlive it. If `workspace_bytes` is not NULL, it receives the bytes of the
 * workspace that the call uses on a stream, and nothing else happens; they are 0 for tensors on
 * the host. */

/** Computes norm layers, on a device one launch per layer. On a stream, which must outlive the
 * context, does not fence, and can be captured in a CUDA graph after a call of the same element
 * types. They need no workspace. */
KINDRED_API kindred_status
kindred_norm_layers(kindred_context* context, const kindred_norm_layer* const* layers, size_t count,
                    KINDRED_OPTIONAL const kindred_layer_options* options,
                    KINDRED_OPTIONAL kindred_prepared** prepared,
                    KINDRED_OPTIONAL size_t* workspace_bytes) KINDRED_NOEXCEPT;
/** Computes linear layers, likewise. Most need no workspace. If they need one, a call on a
 * stream fences when the one that the context keeps must grow; it can be captured only with a
 * workspace of the caller. */
KINDRED_API kindred_status
kindred_linear_layers(kindred_context* context, const kindred_linear_layer* const* layers,
                      size_t count, KINDRED_OPTIONAL const kindred_layer_options* options,
                      KINDRED_OPTIONAL kindred_prepared** prepared,
                      KINDRED_OPTIONAL size_t* workspace_bytes) KINDRED_NOEXCEPT;
/** Computes gradients of norm layers, likewise. They need a workspace. */
KINDRED_API kindred_status
kindred_norm_gradients(kindred_context* context, const kindred_norm_gradient* const* layers,
                       size_t count, KINDRED_OPTIONAL const kindred_layer_options* options,
                       KINDRED_OPTIONAL kindred_prepared** prepared,
                       KINDRED_OPTIONAL size_t* workspace_bytes) KINDRED_NOEXCEPT;
/** Computes gradients of linear layers, likewise. They need a workspace. */
KINDRED_API kindred_status
kindred_linear_gradients(kindred_context* context, const kindred_linear_gradient* const* layers,
                         size_t count, KINDRED_OPTIONAL const kindred_layer_options* options,
                         KINDRED_OPTIONAL kindred_prepared** prepared,
                         KINDRED_OPTIONAL size_t* workspace_bytes) KINDRED_NOEXCEPT;

/* ---- Bulk: operations on lists of arrays and on single arrays, and prepared calls ---- */

/* Operations on every element. */
enum {
  KINDRED_BULK_ADD = 0,
  KINDRED_BULK_MULTIPLY = 1,
  KINDRED_BULK_SQUARE = 2,
  KINDRED_BULK_SQUARE_ROOT = 3,
  KINDRED_BULK_EXPONENTIAL = 4
};
/* Reductions to one number. */
enum {
  KINDRED_REDUCE_SUM = 0,
  KINDRED_REDUCE_MIN = 1,
  KINDRED_REDUCE_MAX = 2,
  KINDRED_REDUCE_MEAN = 3,
  KINDRED_REDUCE_DEVIATION = 4
};

/** Options of an operation. */
typedef struct kindred_bulk_options {
  size_t struct_size;
  uint64_t batch_bytes; /* bytes of arrays on a device at a time; 0: the best size */
  int32_t space; /* KINDRED_SPACE_ANY: the dispatcher chooses; for a prepared call, the device for
                    arrays there, otherwise the host */
  int32_t reproducible; /* of products; nonzero: the same bits on every space, but slower */
  int32_t has_stream;   /* nonzero: `stream` orders a call on tensors on a device */
  int32_t reserved;     /* 0 */
  void* stream;
} kindred_bulk_options;
#define KINDRED_BULK_OPTIONS_INIT \
  { sizeof(kindred_bulk_options), 0, KINDRED_SPACE_ANY, 0, 0, 0, NULL }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_bulk_options_init(kindred_bulk_options* options,
                                                     size_t struct_size) KINDRED_NOEXCEPT;

/** The batches of an operation. */
typedef struct kindred_bulk_report {
  size_t struct_size;
  uint64_t batches;     /* 1 on the host, where nothing is copied */
  uint64_t batch_bytes; /* bytes of arrays on the device at a time; 0 on the host */
  uint64_t splits;      /* how often the batch was halved because of insufficient memory */
} kindred_bulk_report;
#define KINDRED_BULK_REPORT_INIT \
  { sizeof(kindred_bulk_report), 0, 0, 0 }

/* A call with the parameter `prepared` is checked and partitioned, and does not run. Its
 * tensors must stay in place as long as the handle is used: on a device, or in host memory. A
 * run computes their current contents, and neither allocates nor copies. A prepared call is not
 * thread-safe. */

/** Frees a handle. */
KINDRED_API kindred_status kindred_prepared_destroy(KINDRED_OPTIONAL kindred_prepared* prepared)
    KINDRED_NOEXCEPT;
/** Runs the call. On a device, does not fence: the stream of the options orders it, or that of
 * the context; on the host, the result is complete on return. */
KINDRED_API kindred_status kindred_prepared_run(kindred_prepared* prepared) KINDRED_NOEXCEPT;
/** Waits for the last run. */
KINDRED_API kindred_status kindred_prepared_wait(kindred_prepared* prepared) KINDRED_NOEXCEPT;

/* Arrays are of bool, integers, float32 or float64, all of one type. Lists are in host memory;
 * a single array per operand may be on a device, too, where it is used in place, except by
 * `normalise` and `random_fill`. Prepared calls take lists on a device as well. Only rows of a
 * matrix may have gaps between them. A result has the shape of its array, may be the array
 * itself, and must not overlap any other array of the call. Integers wrap around; bool elements
 * are 0 or 1: ADD is "or", MULTIPLY is "and". On a stream, which must outlive the context, a
 * call fences if it needs more workspace than the calls before it on that stream. If `prepared`
 * is not NULL, it receives the prepared call, which does not run yet; this fences the stream,
 * which must outlive it, and `report` and `record` are not written. */

/** results[i] = arrays[i] ^ keys[i], bit by bit, of bool or integers.
 *  @param arrays count tensors, as all lists */
KINDRED_API kindred_status kindred_bulk_xor(
    kindred_context* context, const DLTensor* const* arrays, const DLTensor* const* keys,
    DLTensor* const* results, size_t count, KINDRED_OPTIONAL const kindred_bulk_options* options,
    KINDRED_OPTIONAL kindred_prepared** prepared, KINDRED_OPTIONAL kindred_bulk_report* report,
    KINDRED_OPTIONAL kindred_record* record) KINDRED_NOEXCEPT;
/** The same of uint8 in host memory with generated keys, which are written to `keys`. Not a
 * cipher: the seed determines them.
 *  @param seed KINDRED_UNSET: from the system */
KINDRED_API kindred_status
kindred_bulk_xor_with_new_keys(kindred_context* context, const DLTensor* const* arrays,
                               DLTensor* const* keys, DLTensor* const* results, size_t count,
                               uint64_t seed, KINDRED_OPTIONAL const kindred_bulk_options* options,
                               KINDRED_OPTIONAL kindred_bulk_report* report,
                               KINDRED_OPTIONAL kindred_record* record) KINDRED_NOEXCEPT;
/** One operation on every element. Integers wrap around; of bool, add is "or" and multiply is
 * "and". Integers have no square roots and exponentials.
 *  @param operation KINDRED_BULK_...
 *  @param others the second operands of ADD and MULTIPLY, of the shapes of `arrays`; one tensor
 * of a single element in host memory, for one array; or NULL: `number`, which must be a number
 * of the element type for bool and integers */
KINDRED_API kindred_status kindred_bulk_element_wise(
    kindred_context* context, int32_t operation, const DLTensor* const* arrays,
    KINDRED_OPTIONAL const DLTensor* const* others, double number, DLTensor* const* results,
    size_t count, KINDRED_OPTIONAL const kindred_bulk_options* options,
    KINDRED_OPTIONAL kindred_prepared** prepared, KINDRED_OPTIONAL kindred_bulk_report* report,
    KINDRED_OPTIONAL kindred_record* record) KINDRED_NOEXCEPT;
/** (x - mean) / (deviation + 1e-8) of every element x of float32 or float64, each array by
 * itself. Arrays have no gaps. */
KINDRED_API kindred_status kindred_bulk_normalise(
    kindred_context* context, const DLTensor* const* arrays, DLTensor* const* results, size_t count,
    KINDRED_OPTIONAL const kindred_bulk_options* options,
    KINDRED_OPTIONAL kindred_prepared** prepared, KINDRED_OPTIONAL kindred_bulk_report* report,
    KINDRED_OPTIONAL kindred_record* record) KINDRED_NOEXCEPT;
/** Uniform random numbers: of uint8, or of float32 or float64 in [0, 1). The arrays receive
 * consecutive parts of a stream.
 *  @param offset position of the first number in the stream of `seed` */
KINDRED_API kindred_status kindred_bulk_random_fill(
    kindred_context* context, DLTensor* const* results, size_t count, uint64_t seed,
    uint64_t offset, KINDRED_OPTIONAL const kindred_bulk_options* options,
    KINDRED_OPTIONAL kindred_prepared** prepared, KINDRED_OPTIONAL kindred_bulk_report* report,
    KINDRED_OPTIONAL kindred_record* record) KINDRED_NOEXCEPT;
/** Reduces arrays to numbers. Sums of floating-point numbers are reproducible. Each array of one
 * dimension has one result, and each row of a matrix. Sums of integers are exact modulo 2^64;
 * integers have no deviation.
 *  @param reduction KINDRED_REDUCE_...
 *  @param results one element each, which overlap no array: of the type of the arrays, or
 * float64; for sums of bool and integers int64 or, of unsigned ones, uint64, for their means
 * float64; minima and maxima of integers may have these 64 bits, too. A prepared call needs
 * elements of 64 bits */
KINDRED_API kindred_status kindred_bulk_reduce(
    kindred_context* context, int32_t reduction, const DLTensor* const* arrays, size_t count,
    DLTensor* results, KINDRED_OPTIONAL const kindred_bulk_options* options,
    KINDRED_OPTIONAL kindred_prepared** prepared, KINDRED_OPTIONAL kindred_bulk_report* report,
    KINDRED_OPTIONAL kindred_record* record) KINDRED_NOEXCEPT;
/** The matrix products of float32 or float64 `a` [m, k] and `b` [k, n], or of batches of them,
 * [batch, m, k] and [batch, k, n]. Matrices have no gaps, and c overlaps no input. Reproducible
 * products on a stream wait for it once. */
KINDRED_API kindred_status kindred_bulk_multiply(
    kindred_context* context, const DLTensor* const* a, const DLTensor* const* b,
    DLTensor* const* c, size_t count, KINDRED_OPTIONAL const kindred_bulk_options* options,
    KINDRED_OPTIONAL kindred_prepared** prepared, KINDRED_OPTIONAL kindred_bulk_report* report,
    KINDRED_OPTIONAL kindred_record* record) KINDRED_NOEXCEPT;

/* ---- Lattice: a grid of `size` nodes in each of `dimensions` directions ---- */

/* What a task of a batch does, and what its result has: kindred_lattice_get_statistics:
 * `statistics`; kindred_lattice_measure: `structure`; a shortest path: the one row of `nodes`;
 * kindred_lattice_rows: `nodes` and `record`; kindred_lattice_save: `statistics`; kindred_bulk_xor
 * of one array, or kindred_bulk_multiply of one pair: `report` and `record`. */
enum {
  KINDRED_LATTICE_ANALYZE = 0,
  KINDRED_LATTICE_MEASURE = 1,
  KINDRED_LATTICE_FIND_PATH = 2,
  KINDRED_LATTICE_BUILD = 3,
  KINDRED_LATTICE_SAVE = 4,
  KINDRED_LATTICE_XOR_BYTES = 5,
  KINDRED_LATTICE_MULTIPLY = 6
};

/** A pair of nodes: the ends of an edge or of a path. */
typedef struct kindred_lattice_pair {
  uint64_t from;
  uint64_t to;
} kindred_lattice_pair;

/** The structure of a lattice by closed forms. */
typedef struct kindred_lattice_statistics {
  size_t struct_size;
  uint64_t nodes;
  uint64_t diameter;
  double edges;       /* rounded */
  uint64_t edges_low; /* the exact number is edges_high * 2^64 + edges_low */
  uint64_t edges_high;
  double average_degree;
  double density;      /* edges / all pairs */
  double clustering;   /* 0: there are no triangles */
  double rows_bytes;   /* of compressed rows */
  double search_bytes; /* of a search */
  double dense_bytes;  /* of the dense matrix */
  uint32_t dimensions;
  uint32_t size;
  uint32_t least_degree;
  uint32_t greatest_degree;
  uint32_t connectivity;
  int32_t reserved;
} kindred_lattice_statistics;
#define KINDRED_LATTICE_STATISTICS_INIT \
  { sizeof(kindred_lattice_statistics), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/** The structure of an undirected graph, measured on its rows. */
typedef struct kindred_graph_structure {
  size_t struct_size;
  uint64_t nodes;
  uint64_t edges;
  uint64_t components;
  uint64_t least_degree;
  uint64_t greatest_degree;
  double average_degree;
  double density;    /* edges / all pairs; 0 for fewer than two nodes */
  double clustering; /* mean over all nodes; 0 for a node with fewer than two neighbours */
  uint64_t diameter; /* KINDRED_UNSET if the graph is not connected */
  uint64_t searches; /* breadth-first searches that the diameter took */
} kindred_graph_structure;
#define KINDRED_GRAPH_STRUCTURE_INIT \
  { sizeof(kindred_graph_structure), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/** A task of a batch. */
typedef struct kindred_lattice_task {
  size_t struct_size;
  int32_t work;        /* KINDRED_LATTICE_... */
  uint32_t dimensions; /* of the lattice; XOR_BYTES and MULTIPLY use none */
  uint32_t size;
  int32_t reserved;              /* 0 */
  kindred_lattice_pair ends;     /* of FIND_PATH */
  const uint64_t* blocked_nodes; /* of FIND_PATH */
  uint64_t node_count;
  const kindred_lattice_pair* blocked_edges; /* of FIND_PATH */
  uint64_t edge_count;
  const char* path;  /* of SAVE */
  const DLTensor* a; /* of XOR_BYTES: uint8; of MULTIPLY: m * k of float32 or float64 */
  const DLTensor* b; /* the key, or k * n */
  DLTensor* c;       /* the result: of the shape of a, or m * n */
} kindred_lattice_task;
#define KINDRED_LATTICE_TASK_INIT                                                              \
  {                                                                                            \
    sizeof(kindred_lattice_task), KINDRED_LATTICE_ANALYZE, 4, 10, 0, {0, 0}, NULL, 0, NULL, 0, \
        NULL, NULL, NULL, NULL                                                                 \
  }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_lattice_task_init(kindred_lattice_task* task,
                                                     size_t struct_size) KINDRED_NOEXCEPT;

/** The result of a task. Everything that it points to is valid during the callback. */
typedef struct kindred_lattice_result {
  size_t struct_size;
  int32_t status; /* KINDRED_OK, or the reason why the task failed */
  int32_t work;   /* KINDRED_LATTICE_... */
  double seconds;
  const char* error;                            /* message of the failure, or an empty text */
  const kindred_lattice_statistics* statistics; /* NULL, as the others, if the task has none */
  const kindred_graph_structure* structure;
  const kindred_results* nodes;
  const kindred_bulk_report* report;
  const kindred_record* record; /* not of ANALYZE, MEASURE, FIND_PATH and SAVE */
} kindred_lattice_result;
#define KINDRED_LATTICE_RESULT_INIT \
  { sizeof(kindred_lattice_result), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/** Receives the result of every task in order, on the calling thread, as soon as the task and
 * all earlier ones are done. Nonzero ends the batch after the running tasks, with
 * KINDRED_CANCELLED. */
typedef int (*kindred_lattice_callback)(void* user, uint64_t task,
                                        const kindred_lattice_result* result);

/** Options of a batch. */
typedef struct kindred_lattice_batch_options {
  size_t struct_size;
  int32_t workers; /* concurrent tasks, at most 512; 0: the number of threads of the context */
  int32_t space; /* KINDRED_SPACE_ANY: several workers compute each on its own thread, and a single
                    one where the dispatcher chooses */
} kindred_lattice_batch_options;
#define KINDRED_LATTICE_BATCH_OPTIONS_INIT \
  { sizeof(kindred_lattice_batch_options), 0, KINDRED_SPACE_ANY }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_lattice_batch_options_init(
    kindred_lattice_batch_options* options, size_t struct_size) KINDRED_NOEXCEPT;

/** Creates a lattice. Paths and searches do not use the blocked nodes and edges. */
KINDRED_API kindred_status kindred_lattice_create(kindred_context* context, uint32_t dimensions,
                                                  uint32_t size, const uint64_t* blocked_nodes,
                                                  size_t node_count,
                                                  const kindred_lattice_pair* blocked_edges,
                                                  size_t edge_count,
                                                  kindred_lattice** lattice) KINDRED_NOEXCEPT;
/** Frees a handle. */
KINDRED_API kindred_status kindred_lattice_destroy(KINDRED_OPTIONAL kindred_lattice* lattice)
    KINDRED_NOEXCEPT;
/** Numbers of nodes and edges, degrees, density, diameter and bytes, in closed form. */
KINDRED_API kindred_status kindred_lattice_get_statistics(
    const kindred_lattice* lattice, kindred_lattice_statistics* statistics) KINDRED_NOEXCEPT;
/** The numbers of kindred_lattice_get_statistics, measured on the rows, with components and
 * clustering. Runs on the calling thread. Blocks have no effect. KINDRED_INVALID for more nodes
 * than 32 bits count.
 *  @param space on which the rows are built */
KINDRED_API kindred_status kindred_lattice_measure(const kindred_lattice* lattice, int32_t space,
                                                   kindred_graph_structure* structure)
    KINDRED_NOEXCEPT;
/** The coordinates of a node: uint32 [dimensions], of which the last one is the fastest.
 *  @param capacity elements of `coordinates` */
KINDRED_API kindred_status kindred_lattice_coordinates(const kindred_lattice* lattice,
                                                       uint64_t node, uint32_t* coordinates,
                                                       size_t capacity) KINDRED_NOEXCEPT;
/** The node at `coordinates`, integers [dimensions]. */
KINDRED_API kindred_status kindred_lattice_index(const kindred_lattice* lattice,
                                                 const uint32_t* coordinates, size_t count,
                                                 uint64_t* node) KINDRED_NOEXCEPT;
/** The neighbours of a node, blocked ones included: in each dimension the smaller one first.
 *  @param neighbours at most `capacity` are written; there are at most 2 * dimensions
 *  @param count number of neighbours; if it exceeds `capacity`, the call fails with
 * KINDRED_INVALID, and sets only this */
KINDRED_API kindred_status kindred_lattice_neighbours(const kindred_lattice* lattice, uint64_t node,
                                                      uint64_t* neighbours, size_t capacity,
                                                      size_t* count) KINDRED_NOEXCEPT;
/** Edges of a shortest path between two nodes, 1 for neighbours. Blocks have no effect. */
KINDRED_API kindred_status kindred_lattice_distance(const kindred_lattice* lattice, uint64_t from,
                                                    uint64_t to,
                                                    uint64_t* distance) KINDRED_NOEXCEPT;
/** Whether a node is blocked. */
KINDRED_API kindred_status kindred_lattice_is_blocked(const kindred_lattice* lattice, uint64_t node,
                                                      int32_t* is_blocked) KINDRED_NOEXCEPT;
/** The neighbours of every node, as the ids of results. */
KINDRED_API kindred_status kindred_lattice_rows(const kindred_lattice* lattice, int32_t space,
                                                kindred_results** results) KINDRED_NOEXCEPT;
/** The adjacency matrix, uint8 [nodes, nodes].
 *  @param capacity bytes of `matrix` */
KINDRED_API kindred_status kindred_lattice_dense(const kindred_lattice* lattice, uint8_t* matrix,
                                                 size_t capacity) KINDRED_NOEXCEPT;
/** Writes the rows to a file, atomically, as a graph without weights. kindred_graph_load reads
 * it. */
KINDRED_API kindred_status kindred_lattice_save(const kindred_lattice* lattice, const char* path,
                                                int32_t space) KINDRED_NOEXCEPT;
/** A shortest path for every pair, with both ends, as the ids of results; a row is empty if
 * there is none. */
KINDRED_API kindred_status kindred_lattice_paths(const kindred_lattice* lattice,
                                                 const kindred_lattice_pair* pairs, size_t count,
                                                 int32_t space,
                                                 kindred_results** results) KINDRED_NOEXCEPT;
/** All simple paths of at most `edges_max` edges, in the order of a depth-first search. They are
 * the ids of results.
 *  @param limit more paths are refused */
KINDRED_API kindred_status kindred_lattice_all_paths(const kindred_lattice* lattice, uint64_t from,
                                                     uint64_t to, uint64_t edges_max,
                                                     uint64_t limit,
                                                     kindred_results** results) KINDRED_NOEXCEPT;
/** Distances from the nearest of the `sources`, of all nodes or of `targets`.
 *  @param targets nodes whose distances are returned; NULL: all nodes
 *  @param distances one per target, or one per node; UINT32_MAX for a node that is not reached
 *  @param capacity elements of `distances`
 *  @param reached number of reached nodes
 *  @param farthest greatest distance */
KINDRED_API kindred_status kindred_lattice_distances(
    const kindred_lattice* lattice, const uint64_t* sources, size_t count,
    KINDRED_OPTIONAL const uint64_t* targets, size_t target_count, int32_t space,
    uint32_t* distances, size_t capacity, KINDRED_OPTIONAL uint64_t* reached,
    KINDRED_OPTIONAL uint32_t* farthest, KINDRED_OPTIONAL kindred_record* record) KINDRED_NOEXCEPT;

/** Measures any undirected graph, on the calling thread. KINDRED_INVALID for rows that do not
 * ascend, a loop, an end that is no node, and an edge without its other direction.
 *  @param offsets nodes + 1
 *  @param ends row v is ends[offsets[v] ... offsets[v + 1]), ascending */
KINDRED_API kindred_status
kindred_measure_structure(const uint64_t* offsets, size_t nodes, const uint32_t* ends,
                          kindred_graph_structure* structure) KINDRED_NOEXCEPT;
/** Runs many tasks in parallel, one per worker. The structs and tensors of all tasks are checked
 * before any starts; a task that fails later, as one of a lattice out of range, is reported as a
 * result and does not stop the others. Workers run at most four tasks each ahead of the reported
 * ones.
 *  @param tasks count pointers
 *  @param failed number of tasks that failed */
KINDRED_API kindred_status kindred_run_lattices(
    kindred_context* context, const kindred_lattice_task* const* tasks, size_t count,
    KINDRED_OPTIONAL const kindred_lattice_batch_options* options,
    KINDRED_OPTIONAL kindred_lattice_callback on_result, KINDRED_OPTIONAL void* user,
    KINDRED_OPTIONAL uint64_t* failed) KINDRED_NOEXCEPT;

/* ---- Keys of the caller instead of ids ---- */

/** The contents of an index with keys. */
typedef struct kindred_keyed_index_statistics {
  size_t struct_size;
  uint64_t keys;      /* each has one row */
  uint64_t key_bytes; /* of memory */
  uint64_t end_id;    /* all ids below it have been assigned */
  uint64_t dimension;
  uint64_t removed; /* rows that were removed or replaced and still occupy memory */
  uint64_t segments;
  uint64_t host_bytes; /* of the rows, as the following */
  uint64_t device_bytes;
  uint64_t quantized_bytes;
  int32_t element; /* KINDRED_ELEMENT_... */
  int32_t kind;    /* KINDRED_KEYS_... */
} kindred_keyed_index_statistics;
#define KINDRED_KEYED_INDEX_STATISTICS_INIT \
  { sizeof(kindred_keyed_index_statistics), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/** Builds an index of rows with keys, as kindred_keyed_index_upsert into an empty one. Equal
 * scores are ranked by the order in which keys were added. KINDRED_NO_SPACE: the context cannot
 * use the memory of `residency`.
 *  @param keys one per row; its kind is that of the index, also without keys
 *  @param rows [count, dimension] of float32, float16, bfloat16, or int8 with `scales`; count
 * may be 0
 *  @param scales float32 [count], for int8 only */
KINDRED_API kindred_status kindred_keyed_index_create(
    kindred_context* context, const kindred_key_span* keys, const DLTensor* rows,
    KINDRED_OPTIONAL const DLTensor* scales, KINDRED_OPTIONAL const kindred_index_options* options,
    kindred_keyed_index** keyed_index) KINDRED_NOEXCEPT;
/** Maps a file of kindred_keyed_index_save, and validates every byte. KINDRED_INVALID: it has
 * vectors without keys. KINDRED_NOT_FOUND: there is no such file. KINDRED_CORRUPT: it is
 * damaged; nothing of it is used.
 *  @param threads maximum number of threads; 0: all of the machine */
KINDRED_API kindred_status
kindred_keyed_index_load(kindred_context* context, const char* path,
                         KINDRED_OPTIONAL const kindred_index_options* options, int32_t threads,
                         kindred_keyed_index** keyed_index) KINDRED_NOEXCEPT;
/** An index of the bytes of kindred_keyed_index_to_bytes, or of a file of
 * kindred_keyed_index_save, which are copied. KINDRED_INVALID: they have vectors without keys.
 * KINDRED_CORRUPT: the bytes are damaged; nothing of them is used.
 *  @param threads maximum number of threads; 0: all of the machine */
KINDRED_API kindred_status
kindred_keyed_index_from_bytes(kindred_context* context, const uint8_t* bytes, size_t size,
                               KINDRED_OPTIONAL const kindred_index_options* options,
                               int32_t threads, kindred_keyed_index** keyed_index) KINDRED_NOEXCEPT;
/** Frees a handle. */
KINDRED_API kindred_status
kindred_keyed_index_destroy(KINDRED_OPTIONAL kindred_keyed_index* keyed_index) KINDRED_NOEXCEPT;
/** Adds the rows of new keys, and replaces those of the others under their ids. If it fails, the
 * index is unchanged. New keys get ids in the order in which they first occur. If a key occurs
 * several times, its last row counts. KINDRED_INVALID: keys of another kind or number, or rows
 * of another type or dimension.
 *  @param keys one per row, of the kind of the index
 *  @param rows [count, dimension] of the element type of the index
 *  @param scales float32 [count], of rows of int8
 *  @param added number of new keys
 *  @param replaced number of keys that were there */
KINDRED_API kindred_status kindred_keyed_index_upsert(
    kindred_keyed_index* keyed_index, const kindred_key_span* keys, const DLTensor* rows,
    KINDRED_OPTIONAL const DLTensor* scales, KINDRED_OPTIONAL uint64_t* added,
    KINDRED_OPTIONAL uint64_t* replaced) KINDRED_NOEXCEPT;
/** Removes keys with their rows, whose ids are not reused. KINDRED_NOT_FOUND: a key is not
 * there, or is listed twice; nothing is removed then.
 *  @param keys of the kind of the index */
KINDRED_API kindred_status kindred_keyed_index_remove(
    kindred_keyed_index* keyed_index, const kindred_key_span* keys) KINDRED_NOEXCEPT;
/** The ids of keys, for filters, which are by id.
 *  @param keys of the kind of the index
 *  @param ids one per key; -1 for a key that is not there */
KINDRED_API kindred_status kindred_keyed_index_find(const kindred_keyed_index* keyed_index,
                                                    const kindred_key_span* keys,
                                                    int64_t* ids) KINDRED_NOEXCEPT;
/** Sizes and counts of what the index holds, with the bytes of all copies. */
KINDRED_API kindred_status
kindred_keyed_index_get_statistics(const kindred_keyed_index* keyed_index,
                                   kindred_keyed_index_statistics* statistics) KINDRED_NOEXCEPT;
/** Writes rows, ids and keys to a file, atomically: the file at `path` is the old or the new
 * one. kindred_index_load reads it too, without the keys. KINDRED_BUSY: another process writes
 * it. */
KINDRED_API kindred_status kindred_keyed_index_save(const kindred_keyed_index* keyed_index,
                                                    const char* path) KINDRED_NOEXCEPT;
/** The bytes of the file that kindred_keyed_index_save writes. */
KINDRED_API kindred_status kindred_keyed_index_to_bytes(const kindred_keyed_index* keyed_index,
                                                        kindred_string** bytes) KINDRED_NOEXCEPT;
/** The exact best `top` rows of every query. At most `top` per query, with their ids, scores and
 * keys (kindred_results_keys). KINDRED_INVALID: the options have a stream. KINDRED_NO_SPACE: the
 * call cannot run in `space`.
 *  @param queries float32 [queries, dimension], or [dimension] for one query, on the host */
KINDRED_API kindred_status
kindred_keyed_index_search(const kindred_keyed_index* keyed_index, const DLTensor* queries,
                           KINDRED_OPTIONAL const kindred_search_options* options,
                           kindred_results** results) KINDRED_NOEXCEPT;
/** All rows whose score is `score` or better, best first. Options as of
 * kindred_keyed_index_search. Under KINDRED_L2, a score is better if it is smaller. `top` has no
 * effect.
 *  @param queries float32 [queries, dimension], or [dimension] for one query, on the host */
KINDRED_API kindred_status kindred_keyed_index_search_at_least(
    const kindred_keyed_index* keyed_index, const DLTensor* queries, float score,
    KINDRED_OPTIONAL const kindred_search_options* options,
    kindred_results** results) KINDRED_NOEXCEPT;
/** Re-ranks candidates: the best `top` of each list. Repeated candidates count once. The
 * candidates of query i are the keys offsets[i] ... offsets[i + 1]. KINDRED_INVALID: a key is
 * not there.
 *  @param queries float32 [queries, dimension], or [dimension] for one query, on the host
 *  @param candidates the keys of all queries */
KINDRED_API kindred_status
kindred_keyed_index_score(const kindred_keyed_index* keyed_index, const DLTensor* queries,
                          const kindred_key_span* candidates, const uint64_t* offsets,
                          KINDRED_OPTIONAL const kindred_search_options* options,
                          kindred_results** results) KINDRED_NOEXCEPT;

/* ---- Fusion of rankings ---- */

/* The score of an item: the sum of weight / (constant + place), or of weight * (length - place + 1)
 * / length. */
enum { KINDRED_FUSION_RECIPROCAL_RANK = 0, KINDRED_FUSION_BORDA = 1 };

/** Options of a fusion. */
typedef struct kindred_fusion_options {
  size_t struct_size;
  uint64_t top;
  double constant;       /* of reciprocal rank fusion, >= 0 */
  const double* weights; /* one per ranking, >= 0; NULL: all 1 */
  uint64_t weights_size;
  int32_t rule;     /* KINDRED_FUSION_... */
  int32_t reserved; /* 0 */
} kindred_fusion_options;
#define KINDRED_FUSION_OPTIONS_INIT \
  { sizeof(kindred_fusion_options), 10, 60, NULL, 0, KINDRED_FUSION_RECIPROCAL_RANK, 0 }
/** Sets the defaults of a struct of `struct_size` bytes. */
KINDRED_API kindred_status kindred_fusion_options_init(kindred_fusion_options* options,
                                                       size_t struct_size) KINDRED_NOEXCEPT;

/** Fuses rankings of the same items into one.
 *  @param ids ranking i is ids[offsets[i] ... offsets[i + 1]), best first
 *  @param scores of the items in their rankings, for the reasons only; NULL: 0 */
KINDRED_API kindred_status kindred_fuse_rankings(
    const uint64_t* ids, KINDRED_OPTIONAL const double* scores, const uint64_t* offsets,
    size_t rankings, KINDRED_OPTIONAL const kindred_fusion_options* options,
    kindred_results** results) KINDRED_NOEXCEPT;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* KINDRED_H */
