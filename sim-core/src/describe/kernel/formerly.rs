//! What kernels were called before they were called `paper/NAME`.

/// Names from before kernels were called `paper/NAME`. Experiments may still use them; draws and hashes are keyed by them, so that neither has changed.
pub const OLD_NAMES: &[(&str, &str)] = &[
    ("BFS", "ccbp/BFS"),
    ("BP", "ccbp/BP"),
    ("BT", "ccbp/BT"),
    ("CFD", "ccbp/CFD"),
    ("FTD", "ccbp/FTD"),
    ("HG", "ccbp/HG"),
    ("KM", "ccbp/KM"),
    ("LAV", "ccbp/LAV"),
    ("LBM", "ccbp/LBM"),
    ("PF", "ccbp/PF"),
    ("SAD", "ccbp/SAD"),
    ("SMV", "ccbp/SMV"),
    ("SRT", "ccbp/SRT"),
    ("CUTCP-P", "qos/CUTCP"),
    ("HISTO-P", "qos/HISTO"),
    ("LBM-P", "qos/LBM"),
    ("MRIG-P", "qos/MRIG"),
    ("MRIQ-P", "qos/MRIQ"),
    ("SAD-P", "qos/SAD"),
    ("SGEMM-P", "qos/SGEMM"),
    ("SPMV-P", "qos/SPMV"),
    ("STENCIL-P", "qos/STENCIL"),
    ("TPACF-P", "qos/TPACF"),
    ("LAVAMD-H", "hetero/LAVAMD"),
    ("SYRK", "hetero/SYRK"),
    ("KMEANS-H", "hetero/KMEANS"),
    ("SYR2K", "hetero/SYR2K"),
    ("NN", "hetero/NN"),
    ("SC", "hetero/SC"),
    ("FDTD3D", "hetero/FDTD3D"),
    ("NQU", "hetero/NQU"),
    ("STO", "hetero/STO"),
    ("BTREE-H", "hetero/BTREE"),
    ("DXTC", "hetero/DXTC"),
    ("HISTO-H", "hetero/HISTO"),
];

/// What the kernel of this old name is called now.
pub fn new_name(old: &str) -> Option<&'static str> {
    OLD_NAMES.iter().find(|(name, _)| *name == old).map(|(_, new)| *new)
}

/// The old name of the kernel that is now called so.
pub fn old_name(name: &str) -> Option<&'static str> {
    OLD_NAMES.iter().find(|(_, new)| *new == name).map(|(old, _)| *old)
}
