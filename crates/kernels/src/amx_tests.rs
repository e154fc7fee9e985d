//! The assembly of matrices, on any processor: what the processor does not know is done by a signal handler.

#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::cell::UnsafeCell;

use super::amx_registers::tests::add_product;
use super::amx_registers::{HEIGHT, Job, LINE, Work};
use super::instructions::InstructionSet;
use super::line::{Line, WIDTH};
use super::random::{Draw, Role, Stream};

/// Matrices of the one thread that tests assembly.
struct Matrices(UnsafeCell<([[Line; HEIGHT]; 8], bool)>);

// SAFETY: one test alone runs instructions of matrices, on one thread.
unsafe impl Sync for Matrices {}

static MATRICES: Matrices = Matrices(UnsafeCell::new(([[Line([0.0; WIDTH]); HEIGHT]; 8], false)));

/// Numbers of registers in the order of their codes.
const REGISTERS: [i32; 16] = [
    libc::REG_RAX,
    libc::REG_RCX,
    libc::REG_RDX,
    libc::REG_RBX,
    libc::REG_RSP,
    libc::REG_RBP,
    libc::REG_RSI,
    libc::REG_RDI,
    libc::REG_R8,
    libc::REG_R9,
    libc::REG_R10,
    libc::REG_R11,
    libc::REG_R12,
    libc::REG_R13,
    libc::REG_R14,
    libc::REG_R15,
];

/// Does the instruction at which the processor stopped, and goes on after it.
///
/// # Safety
/// A handler of SIGILL, of an instruction of matrices.
unsafe extern "C" fn emulate(_: i32, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the system gives a context; the instructions' addresses are those of the tested assembly.
    unsafe {
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let (matrices, configured) = &mut *MATRICES.0.get();
        let code = registers[libc::REG_RIP as usize] as *const u8;
        let byte = |place: usize| *code.add(place);
        // Three bytes of a VEX prefix of the map 0F38, 128 bits wide.
        let is_known = byte(0) == 0xc4 && byte(1) & 0x1f == 2 && byte(2) & 0x84 == 0;
        if !is_known {
            libc::abort();
        }
        let (prefix, operation, modes) = (byte(2) & 3, byte(3), byte(4));
        let (kind, first, second) = (modes >> 6, usize::from(modes >> 3 & 7), usize::from(modes & 7));
        let third = usize::from(!(byte(2) >> 3) & 7);
        // The address of a base, an index and a displacement; the length of the instruction; the index.
        let address = || {
            let register = |number: usize| registers[REGISTERS[number] as usize] as usize;
            let high = |bit: u8| if byte(1) >> bit & 1 == 0 { 8 } else { 0 };
            let (base, index, place) = match second {
                4 => {
                    let sib = byte(5);
                    let index = usize::from(sib >> 3 & 7) + high(6);
                    let index = if index == 4 { 0 } else { register(index) << (sib >> 6) };
                    (usize::from(sib & 7) + high(5), index, 6)
                }
                _ => (second + high(5), 0, 5),
            };
            let (displacement, length) = match kind {
                0 if base & 7 != 5 => (0, place),
                1 => (byte(place) as i8 as isize, place + 1),
                2 => (code.add(place).cast::<i32>().read_unaligned() as isize, place + 4),
                _ => libc::abort(),
            };
            (register(base).wrapping_add_signed(displacement), index, length)
        };
        let length = match (prefix, operation, kind) {
            // tilerelease, and ldtilecfg with eight matrices of sixteen rows of a line.
            (0, 0x49, 3) => {
                *configured = false;
                5
            }
            (0, 0x49, _) => {
                let (at, _, length) = address();
                let configuration = std::slice::from_raw_parts(at as *const u8, 64);
                let sizes = configuration[16..32].chunks(2).all(|bytes| bytes == [LINE as u8, 0]);
                let rows = configuration[48..56].iter().all(|rows| usize::from(*rows) == HEIGHT);
                let rest = configuration[1..16].iter().chain(&configuration[32..48]).chain(&configuration[56..]);
                *configured = configuration[0] == 1 && sizes && rows && rest.copied().all(|byte| byte == 0);
                length
            }
            _ if !*configured => libc::abort(),
            // tilezero
            (3, 0x49, 3) => {
                matrices[first] = Default::default();
                5
            }
            // tileloadd and tilestored: the index is the distance of rows.
            (3, 0x4b, 0..=2) => {
                let (at, apart, length) = address();
                for (row, line) in matrices[first].iter_mut().enumerate() {
                    *line = Line((at.wrapping_add(row * apart) as *const [f32; WIDTH]).read_unaligned());
                }
                length
            }
            (2, 0x4b, 0..=2) => {
                let (at, apart, length) = address();
                for (row, line) in matrices[first].iter().enumerate() {
                    (at.wrapping_add(row * apart) as *mut [f32; WIDTH]).write_unaligned(line.0);
                }
                length
            }
            // tdpbf16ps
            (2, 0x5c, 3) => {
                let (left, right) = (matrices[second], matrices[third]);
                for (row, sums) in left.iter().zip(&mut matrices[first]) {
                    add_product(&row.0, &right, sums);
                }
                5
            }
            _ => libc::abort(),
        };
        registers[libc::REG_RIP as usize] += length as i64;
    }
}

fn random_lines(count: usize, dice: &mut Stream) -> Vec<Line> {
    // Pairs of small whole numbers, whose sums are exact in any order.
    let mut half = || (f32::from(dice.below(17) as u8) - 8.0).to_bits() >> 16;
    (0..count).map(|_| Line(std::array::from_fn(|_| f32::from_bits(half() << 16 | half())))).collect()
}

#[test]
fn the_assembly_multiplies_as_in_plain_words_whatever_is_absent() {
    if InstructionSet::present().last() != Some(&InstructionSet::Amx) {
        // SAFETY: the handler goes on after instructions of matrices, and ends the process at others.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = emulate as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO;
            assert_eq!(libc::sigaction(libc::SIGILL, &action, std::ptr::null_mut()), 0);
        }
    }
    let mut dice = Stream::new(3, Role::Game, 0);
    for (steps, apart, add) in [(1, 1, false), (5, 1, true), (9, 2, true), (18, 3, false)] {
        let left = random_lines(200, &mut dice);
        let right = random_lines(2 * steps * HEIGHT, &mut dice);
        let sums: Vec<Line> = random_lines(12 * HEIGHT, &mut dice).iter().map(|_| Line([2.0; WIDTH])).collect();
        let places: Vec<usize> = (0..steps).map(|step| 7 * step * 32).collect();
        let run = |by_registers: bool| {
            let mut sums = sums.clone();
            let to = sums.as_mut_ptr();
            let mut sum = 0;
            let jobs: Vec<Job> = [(false, false), (true, false), (false, true), (true, true)]
                .into_iter()
                .map(|(tall, wide)| {
                    let places = [0, 1, 2, 3].map(|next| to.wrapping_add((sum + next) * HEIGHT));
                    sum += 2;
                    Job::new(
                        [0, 5].map(|line| left.as_ptr().wrapping_add(line).cast()),
                        [0, steps * HEIGHT].map(|line| right.as_ptr().wrapping_add(line)),
                        places,
                        tall,
                        wide,
                    )
                })
                .collect();
            let work = Work::new(&jobs, &places, apart * LINE, add);
            // SAFETY: all matrices lie within the vectors; instructions of matrices are there, or emulated.
            unsafe { if by_registers { work.by_registers() } else { work.plainly() } }
            sums
        };
        let (found, expected) = (run(true), run(false));
        assert!(found.iter().zip(&expected).all(|(found, expected)| found == expected), "{steps} steps");
        assert!(expected != sums);
    }
    // SAFETY: no other thread uses the matrices.
    assert!(!unsafe { (*MATRICES.0.get()).1 }, "the matrices were not released");
}
