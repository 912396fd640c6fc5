// SPDX-License-Identifier: Apache-2.0
// Kindred from Rust through plain declarations of kindred.h: the vectors of a store and their nearest neighbours.
use std::ffi::{c_char, c_void, CStr};
use std::os::raw::c_int;
use std::ptr::{null, null_mut};

#[repr(C)]
struct DlTensor {
    data: *mut c_void,
    device_type: i32, // 1: host
    device_id: i32,
    ndim: i32,
    code: u8, // 0: signed integer, 2: floating point
    bits: u8,
    lanes: u16,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

#[link(name = "kindred_c")]
extern "C" {
    fn kindred_last_error() -> *const c_char;
    fn kindred_context_create(options: *const c_void, context: *mut *mut c_void) -> c_int;
    fn kindred_destroy(handle: *mut c_void) -> c_int;
    fn kindred_index_create(
        context: *mut c_void,
        rows: *const DlTensor,
        scales: *const DlTensor,
        options: *const c_void,
        index: *mut *mut c_void,
    ) -> c_int;
    fn kindred_index_search(
        index: *const c_void,
        queries: *const DlTensor,
        options: *const c_void,
        scores: *mut DlTensor,
        ids: *mut DlTensor,
        report: *mut c_void,
        record: *mut c_void,
    ) -> c_int;
}

/// The message of the library if a call has failed.
fn check(status: c_int) -> Result<(), String> {
    if status == 0 {
        return Ok(());
    }
    // SAFETY: the library returns a text that is never null, and valid until the next failure of this thread.
    Err(unsafe { CStr::from_ptr(kindred_last_error()) }.to_string_lossy().into_owned())
}

fn tensor<T>(data: &mut [T], code: u8, shape: &mut [i64; 2]) -> DlTensor {
    DlTensor {
        data: data.as_mut_ptr().cast(),
        device_type: 1,
        device_id: 0,
        ndim: 2,
        code,
        bits: (8 * std::mem::size_of::<T>()) as u8,
        lanes: 1,
        shape: shape.as_mut_ptr(),
        strides: null_mut(),
        byte_offset: 0,
    }
}

fn main() -> Result<(), String> {
    const TOP: usize = 10; // the default of kindred_search_options
    let mut rows = [1.0f32, 0.0, 0.0, 1.0, 0.6, 0.8];
    let mut query = [0.0f32, 2.0];
    let (mut scores, mut ids) = ([0.0f32; TOP], [0i64; TOP]);
    let (mut row_shape, mut query_shape) = ([3, 2], [1, 2]);
    let (mut score_shape, mut id_shape) = ([1, TOP as i64], [1, TOP as i64]);
    let (mut context, mut index) = (null_mut(), null_mut());
    // SAFETY: all pointers are valid for the calls, and the shapes are those of the arrays.
    unsafe {
        check(kindred_context_create(null(), &mut context))?;
        check(kindred_index_create(context, &tensor(&mut rows, 2, &mut row_shape), null(), null(), &mut index))?;
        check(kindred_index_search(
            index,
            &tensor(&mut query, 2, &mut query_shape),
            null(),
            &mut tensor(&mut scores, 2, &mut score_shape),
            &mut tensor(&mut ids, 0, &mut id_shape),
            null_mut(),
            null_mut(),
        ))?;
        check(kindred_destroy(index))?;
        check(kindred_destroy(context))?;
    }
    for (id, score) in ids.iter().zip(scores).filter(|(id, _)| **id >= 0) {
        println!("row {id}: cosine {score:.1}");
    }
    Ok(())
}
