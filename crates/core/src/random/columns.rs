use super::{Draw, Role, Stream};

/// Streams under one seed and index: one for each lane, made at its first draw, and one for the
/// rest.
///
/// Simulations of two moves get the same sequence of tokens in a column, whatever they draw
/// elsewhere. On match-3 such streams remove a tenth of the variance of the moves' difference.
#[derive(Clone)]
pub struct ColumnStreams {
    seed: u64,
    role: Role,
    index: u64,
    lanes: [Option<Stream>; Self::COUNT],
    /// Stream for draws without a lane.
    pub other: Stream,
}

impl ColumnStreams {
    /// Lanes with a stream of their own; higher ones share these.
    const COUNT: usize = 16;

    /// Streams of an index, below 2^59, in a role under a seed.
    pub fn new(seed: u64, role: Role, index: u64) -> Self {
        let lanes = [const { None }; Self::COUNT];
        Self { seed, role, index, lanes, other: Stream::new(seed, role, index << 5) }
    }
}

impl Draw for ColumnStreams {
    #[inline]
    fn below(&mut self, n: u32) -> u32 {
        self.other.below(n)
    }

    #[inline]
    fn below_in(&mut self, lane: usize, n: u32) -> u32 {
        let lane = lane % Self::COUNT;
        let stream = || Stream::new(self.seed, self.role, self.index << 5 | (lane as u64 + 1));
        self.lanes[lane].get_or_insert_with(stream).below(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(lanes: &mut ColumnStreams, lane: usize) -> Vec<u32> {
        (0..20).map(|_| lanes.below_in(lane, 1000)).collect()
    }

    #[test]
    fn a_lane_gives_the_same_numbers_whatever_is_drawn_elsewhere() {
        let mut alone = ColumnStreams::new(7, Role::Simulate, 3);
        let mut among = ColumnStreams::new(7, Role::Simulate, 3);
        numbers(&mut among, 2);
        among.below(6);
        assert_eq!(numbers(&mut alone, 5), numbers(&mut among, 5));
    }

    #[test]
    fn lanes_and_indices_have_numbers_of_their_own() {
        let mut all = vec![];
        for index in 0..3 {
            let mut lanes = ColumnStreams::new(7, Role::Simulate, index);
            all.extend((0..16).map(|lane| numbers(&mut lanes, lane)));
            all.push((0..20).map(|_| lanes.below(1000)).collect());
        }
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
