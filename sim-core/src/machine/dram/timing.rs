//! The DRAM protocol as data: after which command, at which level, how many clocks must pass before which other command.

use super::super::packet::DramRequest;
use crate::describe::gpu::DramTiming;

/// DRAM command clocks since the start of the run.
pub type Clock = u64;

/// A line whose transfer is settled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transfer {
    /// The request that it serves.
    pub request: DramRequest,
    /// The first clock in which the request could have been served.
    pub arrived: Clock,
    /// The clock at whose start the last beat has passed: a request that arrives in clock `c` and hits has `c + tCL + T`.
    pub end: Clock,
    /// Whether its row was open already: no activate was given for it.
    pub row_hit: bool,
}

/// What the command bus carries.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Command {
    /// Opens a row.
    Activate,
    /// Closes a bank's row.
    Precharge,
    /// Starts the transfer of a line out of the open row.
    Read,
    /// Starts the transfer of a line into the open row.
    Write,
    /// Refreshes all banks.
    Refresh,
}

/// Commands.
pub const COMMANDS: usize = 5;

/// Which later commands a row holds back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Those to the same bank.
    Bank,
    /// Those to any bank of the channel.
    Channel,
}

/// One constraint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// The later commands that it holds back.
    pub level: Level,
    /// The command that has been given.
    pub before: Command,
    /// The command that must wait.
    pub after: Command,
    /// Clocks from one to the other.
    pub clocks: u32,
}

/// Every constraint between two commands. `tFAW`, which is between five, is beside it in the channel.
#[rustfmt::skip]
pub fn rows(t: &DramTiming) -> [Row; 18] {
    use Command::{Activate, Precharge, Read, Refresh, Write};
    use Level::{Bank, Channel};
    let row = |level, before, after, clocks| Row { level, before, after, clocks };
    [
        row(Bank,    Activate,  Activate,  t.tRC),
        row(Bank,    Activate,  Precharge, t.tRAS),
        row(Bank,    Activate,  Read,      t.tRCD),
        row(Bank,    Activate,  Write,     t.tRCD),
        row(Bank,    Precharge, Activate,  t.tRP),
        row(Bank,    Read,      Precharge, t.tRTP),
        row(Bank,    Write,     Precharge, t.WL + t.T + t.tWR),
        row(Channel, Activate,  Activate,  t.tRRD),
        row(Channel, Read,      Read,      t.tCCD),
        row(Channel, Write,     Write,     t.tCCD),
        row(Channel, Write,     Read,      t.WL + t.T + t.tWTR),
        // The data bus carries one line at a time.
        row(Channel, Read,      Read,      t.T),
        row(Channel, Write,     Write,     t.T),
        row(Channel, Read,      Write,     (t.tCL + t.T + t.tRTW).saturating_sub(t.WL)),
        // All banks are closed when they are refreshed.
        row(Channel, Precharge, Refresh,   t.tRP),
        row(Channel, Activate,  Refresh,   t.tRC),
        row(Channel, Refresh,   Activate,  t.tRFC),
        row(Channel, Refresh,   Refresh,   t.tRFC),
    ]
}

/// The earliest clock for each command.
pub type Earliest = [Clock; COMMANDS];

/// The rows as two tables: what a command means for its bank, and for the channel.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Gaps {
    bank: [[u32; COMMANDS]; COMMANDS],
    channel: [[u32; COMMANDS]; COMMANDS],
}

impl Gaps {
    /// The tables of a device.
    pub fn new(timing: &DramTiming) -> Self {
        let mut gaps = Gaps { bank: [[0; COMMANDS]; COMMANDS], channel: [[0; COMMANDS]; COMMANDS] };
        for row in rows(timing) {
            let table = if row.level == Level::Bank { &mut gaps.bank } else { &mut gaps.channel };
            let gap = &mut table[row.before as usize][row.after as usize];
            *gap = row.clocks.max(*gap);
        }
        gaps
    }

    /// Notes that a command goes to a bank at `clock`.
    pub fn apply(&self, command: usize, clock: Clock, bank: &mut Earliest, channel: &mut Earliest) {
        for after in 0..COMMANDS {
            bank[after] = bank[after].max(clock + Clock::from(self.bank[command][after]));
            channel[after] = channel[after].max(clock + Clock::from(self.channel[command][after]));
        }
    }
}
