#![allow(dead_code)]
//! Carts and prices.
use std::{collections::HashMap, fmt};

mod storage;
pub(crate) mod pricing {
    /// Cents per euro.
    pub const CENTS: u32 = 100;

    pub mod tax {
        pub fn rate() -> f32 { 0.2 }
    }
}

/// The most items
/// that one cart holds.
pub const MAX_ITEMS: usize = 100;
static NAMES: &[&str] = &["a"];
static mut COUNTER: u64 = 0;
const _: () = assert!(MAX_ITEMS > 1);

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error.
#[derive(Debug)]
#[non_exhaustive]
// why there are two
pub enum Error {
    /// Too many items.
    Full,
    #[allow(unused)]
    Io(std::io::Error),
    Parse { line: usize, text: String },
    Code = 7,
}

#[derive(Clone)]
pub struct Cart<'a, T: Price, const N: usize = 4>
where
    T: Clone,
{
    /// Items in order.
    pub items: Vec<T>,
    #[cfg(feature = "names")]
    names: HashMap<&'a str, [u8; N]>,
}

pub struct Meters(f64);
struct Unit;

#[repr(C)]
union Bits {
    int: u32,
    float: f32,
}

/// Something with a price.
pub trait Price: fmt::Debug {
    const ZERO: Self::Output;
    type Output: Copy;

    fn price(&self) -> Self::Output;
    fn double(&self) -> Self::Output {
        self.price()
    }
}

impl<'a, T: Price, const N: usize> Cart<'a, T, N> {
    const EMPTY: usize = 0;

    /// Builds a cart.
    #[must_use]
    pub fn new(items: Vec<T>) -> Self {
        fn helper<X>(x: X) -> X {
            x
        }
        let closure = |x: i32| x + 1;
        const LOCAL: i32 = 1;
        struct Guard {
            on: bool,
        }
        impl Drop for Guard {
            fn drop(&mut self) {}
        }
        helper(closure(LOCAL));
        Self { items, names: HashMap::new() }
    }

    pub async unsafe fn send(self: Box<Self>) {}
}

impl<T: Price> fmt::Display for Cart<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.items.len())
    }
}

impl Iterator for pricing::Walk {
    type Item = u8;
    fn next(&mut self) -> Option<u8> { None }
}

impl<T> Price for &T {
    fn price(&self) -> u32 { 1 }
}

impl<T> Sum for [T] {
    fn sum(&self) -> u32 { 1 }
}

impl fmt::Binary for (u8, u8) {
    fn fmt(&self) {}
}

impl Price for u32 { fn price(&self) -> u32 { *self } }
impl dyn Price { fn id(&self) {} }

extern "C" {
    fn strlen(text: *const u8) -> usize;
    static ENVIRON: *const u8;
}

cfg_net! {
    /// Opens a socket.
    #[inline]
    pub async fn open<T>(port: u16) -> Cart<'static, T> {
        todo!()
    }

    cfg_unix! { struct Pipe { fd: i32 } }

    impl Pipe {
        fn close(self) {}
    }
}

thread_local! {
    static DEPTH: u8 = 0;
}

impl<F, T> Price for F where F: Fn(T) -> u32 {
    doc! { fn price(&self) -> u32 { 2 } }
}

vec_of! { fn is a word here }

/// Sums up.
#[macro_export]
macro_rules! total {
    ($($x:expr),*) => { 0 $(+ $x)* };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r#match() {
        let _x = identity::<u32>(3);
    }
}

pub const fn identity<T>(value: T) -> T where T: Copy { value }
