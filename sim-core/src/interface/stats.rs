//! The registry of counters. Each counter is declared once; that line gives the field, its subtraction, its key in JSON and CSV, its
//! table heading and the page's tooltip. Counters are integers and only ever grow; ratios live in `ratios`.

/// Says what a counter is, for headings, tooltips and exports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CounterInfo {
    /// Key in JSON and CSV, equal to the field's name.
    pub key: &'static str,
    /// Unit.
    pub unit: &'static str,
    /// Definition.
    pub doc: &'static str,
}

macro_rules! counters {
    ($(#[$meta:meta])* $name:ident { $($key:ident: $unit:literal, $doc:literal;)* } follows { $($follows:ident: $unit2:literal, $doc2:literal;)* }) => {
        counters! { $(#[$meta])* $name { $($key: $unit, $doc;)* $($follows: $unit2, $doc2;)* } }

        impl core::hash::Hash for $name {
            fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
                $(self.$key.hash(state);)*
            }
        }
    };
    ($(#[$meta:meta])* $name:ident { $($key:ident: $unit:literal, $doc:literal;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        pub struct $name {
            $(#[doc = $doc] #[doc = ""] #[doc = concat!("Unit: ", $unit, ".")] pub $key: u64,)*
        }

        impl $name {
            /// Every counter, in the order of `values`.
            pub const INFO: &'static [CounterInfo] =
                &[$(CounterInfo { key: stringify!($key), unit: $unit, doc: $doc },)*];

            /// Counters by key.
            pub fn of(counter: impl Fn(&str) -> u64) -> $name {
                $name { $($key: counter(stringify!($key)),)* }
            }

            /// Every counter's value, in the order of `INFO`.
            pub fn values(&self) -> [u64; Self::INFO.len()] {
                [$(self.$key,)*]
            }
        }

        impl core::ops::Sub for $name {
            type Output = $name;
            fn sub(self, earlier: $name) -> $name {
                $name { $($key: self.$key - earlier.$key,)* }
            }
        }

        impl core::ops::AddAssign for $name {
            fn add_assign(&mut self, other: $name) {
                $(self.$key += other.$key;)*
            }
        }
    };
}

counters! {
    /// What one kernel did and what was done for it. SMs and the memory side each keep one; their sum is the kernel's. What follows from the warps'
    /// places in their programs, from the lines that have passed, or from the quotas that are left, is no part of the digest.
    KernelStats {
        thread_instructions: "thread instructions", "Instructions issued, counted once for each active lane";
        warp_instructions: "warp instructions", "Instructions issued, counted once for each warp";
        load_instructions: "warp instructions", "Global loads among them";
        store_instructions: "warp instructions", "Global stores and atomic operations among them";
        shared_conflict_cycles: "cycles", "Cycles that shared-memory accesses took beyond their first, for bank conflicts";
        l1_reads: "lines", "Lines that loads asked of L1D, after coalescing";
        l1_hits: "lines", "Reads that found their line in L1D";
        l1_merged: "lines", "Reads that joined a miss already under way (MSHR hit)";
        l1_misses: "lines", "Reads that sent a request to L2";
        l1_writes: "lines", "Lines that stores wrote through L1D";
        fail_mshr: "cycles", "Cycles in which an L1D access waited because no MSHR was free";
        fail_merge: "cycles", "Cycles in which an L1D access waited because its MSHR could merge no more";
        fail_miss_queue: "cycles", "Cycles in which an L1D access waited because the kernel's miss queue was full";
        fail_store_buffer: "cycles", "Cycles in which a store waited because the store buffer was full";
        fail_line: "cycles", "Cycles in which an L1D access waited because every way that its line may take was reserved (l1.allocate = on_miss)";
        oldest_fails_miss: "cycles", "Cycles in which the oldest access that waited on its SM was the kernel's and lacked what misses need";
        oldest_fails_store: "cycles", "Cycles in which it was the kernel's and lacked an entry of the store buffer";
        requests: "requests", "Requests that left the miss queue for the NoC";
        read_requests: "requests", "Reads among them";
        replies: "replies", "Replies and store acknowledgements that came back";
        reported_dram_accesses: "accesses", "DRAM accesses reported in reply headers: 0, 1 or 2 each";
        latency_sum: "cycles", "Core cycles from entering the miss queue to the reply's arrival, summed over read replies";
        latency_count: "replies", "Read replies in that sum";
        wait_miss_queue: "cycles", "Part of the latency sum spent in the miss queue and its arbiter";
        wait_request_noc: "cycles", "Part of the latency sum spent in the request crossbar and its queues";
        wait_l2: "cycles", "Part of the latency sum spent in L2: queue, lookup, pipeline and reply port";
        wait_dram: "cycles", "Part of the latency sum spent waiting for DRAM, merged requests included";
        wait_reply_noc: "cycles", "Part of the latency sum spent in the reply crossbar and its queues";
        load_latency_sum: "cycles", "Core cycles from a load's issue to its last line, summed over loads";
        loads_done: "warp instructions", "Loads in that sum";
        noc_request_flits: "flits", "Flits that the kernel's requests put on the request crossbar";
        noc_reply_flits: "flits", "Flits that replies to the kernel's reads put on the reply crossbar";
        noc_acknowledgement_flits: "flits", "Flits that acknowledgements of the kernel's stores put on the reply crossbar";
        l2_reads: "lines", "Reads that L2 looked up";
        l2_writes: "lines", "Writes that L2 looked up";
        l2_hits: "lines", "Lookups that found their line";
        l2_merged: "lines", "Lookups that joined a miss already under way";
        l2_misses: "lines", "Lookups that sent a fetch to DRAM";
        l2_filled_by_stores: "lines", "Lookups of stores of a whole line that took a place without a fetch";
        l2_dirty_victims: "lines", "Dirty lines written back because the kernel's miss needed their place";
        dram_reads: "lines", "Lines that DRAM read for the kernel";
        dram_writes: "lines", "Lines that DRAM wrote for the kernel";
        dram_row_hits: "lines", "Lines among these whose row was open when their turn came";
        ctas_launched: "CTAs", "CTAs placed on an SM";
        ctas_done: "CTAs", "CTAs finished";
        ctas_drained: "CTAs", "CTAs finished on an SM where their kernel had more than it may have";
        ctas_switched_out: "CTAs", "CTAs that have left an SM before they had finished";
        ctas_switched_in: "CTAs", "CTAs that have come back to an SM";
        context_lines_out: "lines", "Lines of registers and shared memory that these have sent to DRAM";
        context_lines_in: "lines", "Lines of them that have come back";
        switch_cycles: "cycles", "Cycles from when a CTA was to leave until it had left, and from when it was placed again until it went on";
        runs_done: "runs", "Times that the kernel ran to its end";
        cta_cycles: "CTA cycles", "Resident CTAs summed over cycles";
        warp_cycles: "warp cycles", "Resident warps summed over cycles";
        warps_wait_memory: "warp cycles", "Warps among them that wait for a load that missed L1D";
        warps_wait_lsu: "warp cycles", "Warps among them whose next access the load-store unit does not take";
    } follows {
        special_thread_instructions: "thread instructions", "Special-function instructions among the thread instructions";
        shared_thread_instructions: "thread instructions", "Accesses of shared memory among them";
        global_thread_instructions: "thread instructions", "Global loads and stores among them";
        dram_context_lines: "lines", "Lines of registers and shared memory of switched CTAs that L2 has passed on to DRAM, or that have come from there";
        misses_to_l2: "misses", "Misses of L1D that L2 has answered, where the line was";
        misses_to_memory: "misses", "Misses that L2 has answered after it had waited for DRAM";
        misses_to_remote_l1: "misses", "Misses that another SM's L1D has answered, alone or beside L2 (l1.protocol denovo)";
        reads_again: "requests", "Reads that L1D has sent once more: refused by who no longer had the words, or for words that did not come (l1.protocol denovo)";
        noc_read_crossings: "flits", "Flits of the kernel's reads, of forwards and of the lines that they bring, each counted once for every link of the mesh that it crosses";
        noc_write_crossings: "flits", "Flits of its writes or registrations and of what answers them, counted in the same way";
        noc_writeback_crossings: "flits", "Flits of the dirty lines that its misses push out of L2, and of what L1Ds that own words write back, counted in the same way";
        quota_top_ups: "top-ups", "Quotas that the kernel has got on top on an SM before a refill, because all kernels there had used theirs";
    }
}

/// Why a warp scheduler issued nothing in a cycle. A scheduler's cycle is charged to the first term that empties its set of candidates.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u8)]
pub enum StallCause {
    /// No warp is resident.
    #[default]
    Idle,
    /// Every warp waits at a barrier.
    Barrier,
    /// Waiting for loads that missed L1D.
    RawLong,
    /// Waiting for arithmetic or its unit, shared memory or loads that hit L1D.
    RawShort,
    /// A ready memory instruction cannot enter the LSU, and nothing else is ready.
    LsuFull,
    /// Ready warps belong to CTAs that are throttled.
    Throttled,
    /// Ready warps belong to kernels without quota.
    Quota,
}

/// Key, title and definition of a stall cause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StallInfo {
    /// Key in JSON and CSV.
    pub key: &'static str,
    /// Heading.
    pub title: &'static str,
    /// Definition.
    pub doc: &'static str,
}

impl StallCause {
    /// How many causes there are.
    pub const COUNT: usize = 7;

    /// Every cause in order.
    pub const INFO: [StallInfo; StallCause::COUNT] = [
        StallInfo { key: "idle", title: "No warp", doc: "No warp of the scheduler is resident" },
        StallInfo { key: "barrier", title: "Barrier", doc: "Every warp waits for its CTA at a barrier" },
        StallInfo { key: "raw_long", title: "Memory", doc: "Waits for a load that missed L1D (RAW_long)" },
        StallInfo { key: "raw_short", title: "Execution", doc: "Waits for arithmetic or its unit, shared memory or a load that hit L1D" },
        StallInfo { key: "lsu_full", title: "LSU full", doc: "A memory instruction is ready but cannot enter the load-store unit" },
        StallInfo { key: "throttled", title: "Throttled", doc: "The ready warps belong to CTAs that the policy has paused" },
        StallInfo { key: "quota", title: "Quota", doc: "The ready warps belong to kernels that have used their issue quota" },
    ];

    /// The cause as an index into `INFO`.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// Scheduler-cycles by stall cause.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct StallCounts(pub [u64; StallCause::COUNT]);

impl StallCounts {
    /// Charges `cycles` to `cause`.
    pub fn charge(&mut self, cause: StallCause, cycles: u64) {
        self.0[cause.index()] += cycles;
    }

    /// All causes together.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }
}

impl core::ops::AddAssign for StallCounts {
    fn add_assign(&mut self, other: StallCounts) {
        for (sum, n) in self.0.iter_mut().zip(other.0) {
            *sum += n;
        }
    }
}

impl core::ops::Sub for StallCounts {
    type Output = StallCounts;
    fn sub(mut self, earlier: StallCounts) -> StallCounts {
        for (now, then) in self.0.iter_mut().zip(earlier.0) {
            *now -= then;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_the_difference_of_two_readings() {
        let earlier = KernelStats { l1_reads: 3, ..KernelStats::default() };
        let later = KernelStats { l1_reads: 10, l1_hits: 4, ..KernelStats::default() };
        let window = later - earlier;
        assert_eq!((window.l1_reads, window.l1_hits), (7, 4));
        let position = KernelStats::INFO.iter().position(|info| info.key == "l1_reads").unwrap();
        assert_eq!(window.values()[position], 7);
    }
}
