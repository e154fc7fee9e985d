//! TFRecords, the frames in TensorBoard's files.
//!
//! A record is a length as u64, the masked CRC32C of the length, the data, and the masked CRC32C of
//! the data, little-endian.

pub(super) fn framed(data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u64).to_le_bytes();
    let mut record = Vec::with_capacity(data.len() + 16);
    record.extend_from_slice(&length);
    record.extend_from_slice(&masked_crc(&length).to_le_bytes());
    record.extend_from_slice(data);
    record.extend_from_slice(&masked_crc(data).to_le_bytes());
    record
}

/// CRC32C, rotated and offset for data that holds checksums (tensorflow/tsl/lib/hash).
fn masked_crc(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}

/// The intact records of a file, up to the first that is cut off or fails a checksum.
pub(super) struct Records<'a>(pub(super) &'a [u8]);

pub(super) struct Record<'a> {
    /// The record with its frame.
    pub(super) framed: &'a [u8],
    pub(super) data: &'a [u8],
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        let (length, rest) = self.0.split_first_chunk::<8>()?;
        let (length_crc, rest) = rest.split_first_chunk::<4>()?;
        if masked_crc(length) != u32::from_le_bytes(*length_crc) {
            return None;
        }
        let (data, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        let (data_crc, rest) = rest.split_first_chunk::<4>()?;
        if masked_crc(data) != u32::from_le_bytes(*data_crc) {
            return None;
        }
        let framed = &self.0[..self.0.len() - rest.len()];
        self.0 = rest;
        Some(Record { framed, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_published_one() {
        // CRC32C of "123456789" (RFC 3720) and its masked value by TensorBoard's reader.
        assert_eq!(crc32c::crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(masked_crc(b"123456789"), 0xc78a_b0e5);
    }

    #[test]
    fn records_are_read_back_as_they_were_framed() {
        let content = [framed(b""), framed(b"one"), framed(&[7; 1000])].concat();
        let read: Vec<&[u8]> = Records(&content).map(|record| record.data).collect();
        assert_eq!(read, [&b""[..], b"one", &[7; 1000]]);
        assert_eq!(Records(&content).flat_map(|record| record.framed).copied().collect::<Vec<u8>>(), content);
    }

    #[test]
    fn reading_ends_before_a_record_that_is_cut_off_or_has_a_bit_flipped() {
        let (first, second) = (framed(b"first"), framed(b"second"));
        let content = [&first[..], &second].concat();
        for place in first.len()..content.len() {
            assert_eq!(Records(&content[..place]).count(), 1, "cut off at byte {place}");
            let mut broken = content.clone();
            broken[place] ^= 0x10;
            assert_eq!(Records(&broken).count(), 1, "bit flipped at byte {place}");
        }
    }
}
