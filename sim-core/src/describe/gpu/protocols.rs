//! The list of L1D protocols, from which the choices of `sm.l1.protocol` and the machine's own enum are made.

/// Hands `$then` every protocol, a line each: the file in `machine/l1d/`, whose name experiments use, and its type there.
macro_rules! l1_protocols {
    ($then:ident) => {
        $then! {
            none::Uncoherent,
            allocating::Allocating,
            gpu::GpuCoherence,
            denovo::DeNovo,
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

impl Default for L1Protocol {
    fn default() -> Self {
        L1Protocol::ALL[0]
    }
}

impl L1Protocol {
    /// Its name in experiments.
    pub fn name(self) -> &'static str {
        L1Protocol::ALL.iter().position(|&protocol| protocol == self).map_or("", |at| L1Protocol::NAMES[at])
    }

    /// Whether L1D keeps stores and tells the words of a line apart.
    pub fn is_by_word(self) -> bool {
        self == L1Protocol::GpuCoherence || self.owns()
    }

    /// Whether L1Ds own the words that they have written.
    pub fn owns(self) -> bool {
        self == L1Protocol::DeNovo
    }
}
