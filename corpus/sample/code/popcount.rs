//! Counting candidates in a slice, with and without the hardware's help.

/// The number of one bits in a slice of 64-bit words.
pub fn count_candidates(slice: &[u64]) -> u64 {
    slice.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// The positions of the one bits, lowest first.
pub fn candidates(slice: &[u64]) -> impl Iterator<Item = usize> + '_ {
    slice.iter().enumerate().flat_map(|(i, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let bit = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            Some(i * 64 + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_lists_agree() {
        let slice = [0b1011, 0, 1 << 63];
        assert_eq!(count_candidates(&slice), 4);
        assert_eq!(candidates(&slice).collect::<Vec<_>>(), vec![0, 1, 3, 191]);
    }
}
