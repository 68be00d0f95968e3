//! Typed counters: written by a decorator, read by whoever kept a handle, also from another thread.

/// Declares a struct of atomic counters and one of their plain values.
macro_rules! counters {
    (
        $(#[$doc:meta])* $counters:ident => $stats:ident {
            $($(#[$field_doc:meta])* $field:ident,)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Default)]
        pub(crate) struct $counters {
            $($(#[$field_doc])* pub(crate) $field: std::sync::atomic::AtomicU64,)*
        }

        $(#[$doc])*
        ///
        /// The counts at some moment.
        #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
        pub struct $stats {
            $($(#[$field_doc])* pub $field: u64,)*
        }

        impl $counters {
            /// The counts so far.
            pub(crate) fn stats(&self) -> $stats {
                $stats {
                    $($field: self.$field.load(std::sync::atomic::Ordering::Relaxed),)*
                }
            }
        }

        impl std::ops::Add for $stats {
            type Output = $stats;

            fn add(self, other: $stats) -> $stats {
                $stats { $($field: self.$field + other.$field,)* }
            }
        }
    };
}

pub(crate) use counters;

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts on. Counters do not order anything else.
pub(crate) fn count(counter: &AtomicU64, n: u64) {
    counter.fetch_add(n, Ordering::Relaxed);
}
