//! Loops and sorting on all cores, and threads that let others come first.
//!
//! rayon compiles its scheduling anew for every loop, which takes longer than compiling what most loops do. These call the
//! function of a loop through a pointer instead, so that the scheduling is compiled once; an item costs some 20 ns more.

use std::cmp::Ordering;
use std::io;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

/// The maximum number of tasks that items are divided into.
const CHUNKS: usize = 512;

/// Lowers the priority of this thread: whoever waits for another one comes first. Only on Linux, because elsewhere the call
/// would change the whole process.
pub fn lower_priority() {
    #[cfg(target_os = "linux")]
    {
        // A failure is ignored: the background thread then only takes more CPU time.
        let _ = rustix::process::nice(10);
    }
}

/// Calls a function with each item, and returns the results in the order of the items.
pub fn map<'a, T: Sync, R: Send>(items: &'a [T], call: impl Fn(&'a T) -> R + Sync) -> Vec<R> {
    let chunk = items.len().div_ceil(CHUNKS).max(1);
    let slots: Vec<Mutex<Vec<R>>> = items.chunks(chunk).map(|_| Mutex::default()).collect();
    for_each(slots.len(), &|at| {
        let own = &items[at * chunk..items.len().min((at + 1) * chunk)];
        let results = own.iter().map(&call).collect();
        *slots[at].lock().unwrap_or_else(PoisonError::into_inner) = results;
    });
    let mut results = Vec::with_capacity(items.len());
    slots.into_iter().for_each(|slot| {
        results.append(&mut slot.into_inner().unwrap_or_else(PoisonError::into_inner));
    });
    results
}

/// Calls a function with each item, in any order.
pub fn each<T: Sync>(items: &[T], call: impl Fn(&T) + Sync) {
    for_each(items.len(), &|at| call(&items[at]));
}

/// Calls a function with the numbers below `count`, in any order.
fn for_each(count: usize, call: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(call);
}

/// Sorts items. Equal ones keep their order.
pub fn sort_by<T: Sync>(items: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering + Sync) {
    let order = sorted_numbers(items.len(), &|a, b| compare(&items[a], &items[b]));
    let mut slots: Vec<Option<T>> = items.drain(..).map(Some).collect();
    items.extend(order.into_iter().filter_map(|at| slots[at].take()));
}

/// The numbers below `count`, in the order of what they stand for.
fn sorted_numbers(count: usize, compare: &(dyn Fn(usize, usize) -> Ordering + Sync)) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..count).collect();
    numbers.par_sort_by(|a, b| compare(*a, *b));
    numbers
}

/// Calls a function with each item. After the first error, which it returns, no further call begins.
pub fn try_each<T: Sync>(
    items: &[T],
    call: impl Fn(&T) -> io::Result<()> + Sync,
) -> io::Result<()> {
    try_for_each(items.len(), &|at| call(&items[at]))
}

fn try_for_each(count: usize, call: &(dyn Fn(usize) -> io::Result<()> + Sync)) -> io::Result<()> {
    (0..count).into_par_iter().try_for_each(call)
}

/// Calls two functions side by side, and returns what both return.
pub fn join<A: Send, B: Send>(
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    let (mut first, mut second) = (Some(first), Some(second));
    let (mut one, mut other) = (None, None);
    call_both(&mut || one = first.take().map(|call| call()), &mut || {
        other = second.take().map(|call| call());
    });
    match (one, other) {
        (Some(one), Some(other)) => (one, other),
        _ => unreachable!("both functions were called"),
    }
}

fn call_both(first: &mut (dyn FnMut() + Send), second: &mut (dyn FnMut() + Send)) {
    rayon::join(first, second);
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{self, AtomicUsize};

    use super::*;

    #[test]
    fn results_have_the_order_of_the_items() {
        let items: Vec<usize> = (0..1000).collect();
        let texts = map(&items, ToString::to_string);
        assert_eq!(
            texts,
            items.iter().map(ToString::to_string).collect::<Vec<_>>()
        );
        assert_eq!(map(&[] as &[usize], |item| *item), [] as [usize; 0]);
    }

    #[test]
    fn equal_items_keep_their_order() {
        let mut items: Vec<(usize, String)> = (0..10_000)
            .map(|at| (at * 7919 % 13, at.to_string()))
            .collect();
        let mut expected = items.clone();
        expected.sort_by_key(|(key, _)| *key);
        sort_by(&mut items, |(a, _), (b, _)| a.cmp(b));
        assert_eq!(items, expected);
    }

    #[test]
    fn two_functions_return_what_they_return_alone() {
        let text = String::from("text");
        assert_eq!(join(|| text.len(), || text.clone()), (4, text.clone()));
    }

    #[test]
    fn an_error_ends_the_calls() {
        let items: Vec<usize> = (0..100_000).collect();
        let calls = AtomicUsize::new(0);
        let failed = try_each(&items, |_| {
            calls.fetch_add(1, atomic::Ordering::Relaxed);
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(
            failed.map_err(|error| error.kind()),
            Err(io::ErrorKind::StorageFull)
        );
        assert!(calls.into_inner() < items.len());
        assert!(try_each(&items, |_| Ok(())).is_ok());
    }

    #[test]
    #[should_panic(expected = "at the third")]
    fn a_panic_reaches_the_caller() {
        map(&[1, 2, 3], |item| assert!(*item != 3, "at the third"));
    }
}
