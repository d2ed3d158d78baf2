//! A mesh of routers, and who sits where. Routers are numbered row by row. SM `i` sits at router `first_sm + i`, L2 bank `i` at router
//! `i`, and the DRAM channels at the corners in turn.

/// The form of a mesh.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MeshConfig {
    /// Routers of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// NoC cycles from one router to the next, with the router's own.
    pub hop: u32,
    /// Flits that the buffer of a router's input holds, those on their way to it included.
    pub buffer: u32,
    /// The router of SM 0; the SMs after it are at the routers after that.
    pub first_sm: u32,
}

impl Default for MeshConfig {
    /// 4 × 4 routers of one cycle, with room for 8 flits at each input.
    fn default() -> Self {
        MeshConfig { width: 4, height: 4, hop: 1, buffer: 8, first_sm: 0 }
    }
}

impl MeshConfig {
    /// All routers.
    pub fn routers(&self) -> u32 {
        self.width * self.height
    }

    /// The router of an SM.
    pub fn router_of_sm(&self, sm: u32) -> u32 {
        self.first_sm + sm
    }

    /// The router of an L2 bank.
    pub fn router_of_bank(&self, bank: u32) -> u32 {
        bank
    }

    /// The router of a DRAM channel: the first, the last, the end of the first row and the start of the last row, in turn.
    pub fn router_of_channel(&self, channel: u32) -> u32 {
        [0, self.routers() - 1, self.width - 1, self.routers() - self.width][channel as usize % 4]
    }

    /// Links on the way from one router to another.
    pub fn hops(&self, from: u32, to: u32) -> u32 {
        (from % self.width).abs_diff(to % self.width) + (from / self.width).abs_diff(to / self.width)
    }

    /// Links between an L2 bank and one of its channels.
    pub fn hops_to_channel(&self, bank: u32, channel: u32) -> u32 {
        self.hops(self.router_of_bank(bank), self.router_of_channel(channel))
    }
}
