//! The trainer in a browser: a C interface, numbers in and out.
//!
//! The page writes a request into [`trainer_room`], calls [`trainer_answer`], and reads the answer at the address
//! that it returns: four bytes of length, then the text. Files go in by [`trainer_put`] and out by [`trainer_files`].

use std::cell::RefCell;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use matchq_core::{clock, disk};

use crate::{RUNS, Trainer};

#[derive(Default)]
struct Memory {
    trainer: Trainer,
    request: Vec<u8>,
    answer: Vec<u8>,
}

impl Memory {
    /// Address of four bytes of length, then the bytes.
    fn answered(&mut self, bytes: &[u8]) -> *const u8 {
        self.answer.clear();
        self.answer.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        self.answer.extend_from_slice(bytes);
        self.answer.as_ptr()
    }
}

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// Numbers for burn's names of parameters, which need only differ: all other numbers have streams of
/// their own.
#[unsafe(no_mangle)]
unsafe extern "Rust" fn __getrandom_v03_custom(into: *mut u8, bytes: usize) -> Result<(), getrandom::Error> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    for at in 0..bytes {
        let number = COUNT.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // SAFETY: getrandom gives room for so many bytes.
        unsafe { into.add(at).write((number >> 56) as u8) };
    }
    Ok(())
}

/// What the last panic said.
static FAULT: Mutex<String> = Mutex::new(String::new());

/// Notes what a panic says, after which nothing but [`trainer_fault`] can be called.
#[unsafe(no_mangle)]
pub extern "C" fn trainer_begin() {
    std::panic::set_hook(Box::new(|panic| {
        if let Ok(mut fault) = FAULT.try_lock() {
            *fault = panic.to_string();
        }
    }));
}

/// Address of what the last panic said.
#[unsafe(no_mangle)]
pub extern "C" fn trainer_fault() -> *const u8 {
    let fault = FAULT.try_lock().map(|fault| fault.clone()).unwrap_or_default();
    // What was borrowed when the panic came stays borrowed.
    Box::leak([&(fault.len() as u32).to_le_bytes()[..], fault.as_bytes()].concat().into_boxed_slice()).as_ptr()
}

/// Address of room for so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn trainer_room(bytes: usize) -> *mut u8 {
    MEMORY.with_borrow_mut(|memory| {
        memory.request.clear();
        memory.request.resize(bytes, 0);
        memory.request.as_mut_ptr()
    })
}

/// Address of the answer to the request in the room; the time is in milliseconds.
#[unsafe(no_mangle)]
pub extern "C" fn trainer_answer(time: f64) -> *const u8 {
    clock::tell((time * 1000.0) as u64);
    MEMORY.with_borrow_mut(|memory| {
        let text = memory.trainer.answer(&String::from_utf8_lossy(&memory.request));
        memory.answered(text.as_bytes())
    })
}

/// Takes the file in the room into the run of a name: `RUN/FILE`, a zero byte, the content; whether
/// that was right.
#[unsafe(no_mangle)]
pub extern "C" fn trainer_put() -> bool {
    MEMORY.with_borrow(|memory| {
        let Some(end) = memory.request.iter().position(|&byte| byte == 0) else { return false };
        let name = String::from_utf8_lossy(&memory.request[..end]).into_owned();
        disk::write(&Path::new(RUNS).join(name), &memory.request[end + 1..]).is_ok()
    })
}

/// Address of the run's files, one after the other: lengths of name and content (four bytes each),
/// name, content.
#[unsafe(no_mangle)]
pub extern "C" fn trainer_files() -> *const u8 {
    MEMORY.with_borrow_mut(|memory| {
        let mut bytes = Vec::new();
        for (name, content) in memory.trainer.files().unwrap_or_default() {
            bytes.extend_from_slice(&(name.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&(content.len() as u32).to_le_bytes());
            bytes.extend_from_slice(name.as_bytes());
            bytes.extend_from_slice(&content);
        }
        memory.answered(&bytes)
    })
}
