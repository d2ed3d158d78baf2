//! The list of L1D protocols, from which the choices of `sm.l1.protocol` and the machine's own enum are made.

/// Hands `$then` every protocol, a line each: the file in `machine/l1d/`, whose name experiments use, and its type there.
macro_rules! l1_protocols {
    ($then:ident) => {
        $then! {
            none::Uncoherent,
            #[cfg(test)] invalidating::Invalidating,
        }
    };
}
pub(crate) use l1_protocols;

macro_rules! choices {
    ($($(#[$attribute:meta])* $module:ident::$Type:ident,)*) => {
        /// What an L1D does with a line. Each protocol is described in its own file.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs)]
        pub enum L1Protocol {
            $($(#[$attribute])* $Type,)*
        }

        impl L1Protocol {
            /// Every protocol.
            pub const ALL: &[L1Protocol] = &[$($(#[$attribute])* L1Protocol::$Type,)*];
            /// Their names in experiments.
            pub const NAMES: &[&str] = &[$($(#[$attribute])* stringify!($module),)*];
        }
    };
}

l1_protocols!(choices);
