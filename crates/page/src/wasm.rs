//! The engine in a browser: a C interface, numbers in and out.
//!
//! The page writes a request into [`room`], calls [`answer`], and reads the answer at the address
//! that it returns: four bytes of length, then the text.

use std::cell::RefCell;

use crate::Engine;

#[derive(Default)]
struct Memory {
    engine: Engine,
    request: Vec<u8>,
    answer: Vec<u8>,
}

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// Address of room for a request of so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    MEMORY.with_borrow_mut(|memory| {
        memory.request.clear();
        memory.request.resize(bytes, 0);
        memory.request.as_mut_ptr()
    })
}

/// Address of the answer to the request in the room.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    MEMORY.with_borrow_mut(|Memory { engine, request, answer }| {
        let text = engine.answer(&String::from_utf8_lossy(request));
        answer.clear();
        answer.extend_from_slice(&(text.len() as u32).to_le_bytes());
        answer.extend_from_slice(text.as_bytes());
        answer.as_ptr()
    })
}
