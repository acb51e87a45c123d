//! Fingerprints of table specs, which detect changed patterns under an unchanged version.

use super::colouring::Colouring;
use super::spec::TableSpec;
use sha2::{Digest, Sha256};
use std::fmt::Write;

impl TableSpec {
    /// Returns a digest of size, grade, patterns or colourings in order, and how values are written.
    /// Stored beside the bytes, it detects tables of other patterns if
    /// [`LAYOUT_VERSION`](super::LAYOUT_VERSION) was not raised.
    pub fn fingerprint(self) -> u64 {
        let mut text = format!("{self} {:?}", self.width());
        for partition in self.partitions() {
            // Writing to a string does not fail.
            write!(text, " {partition:?}").ok();
        }
        for colouring in self.colourings() {
            let Colouring { axis, colours, .. } = &colouring;
            let values = if colouring.is_on_two_rows() { " halves" } else { "" };
            write!(text, " {axis:?} {colours:?}{values}").ok();
        }
        digest(text.as_bytes())
    }
}

/// Returns the first eight bytes of the SHA-256 digest.
fn digest(bytes: &[u8]) -> u64 {
    let hash = Sha256::digest(bytes);
    hash.iter().take(8).fold(0, |digest, &byte| digest << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::super::pack::{ValueWidth, pack};
    use super::super::placement_rank::PlacementRanking;
    use super::super::{LAYOUT_VERSION, build};
    use super::*;

    /// The version of the digests below.
    const PINNED: u32 = 1;

    const PATTERNS: [(&str, u64); 25] = [
        ("2x2-default", 0xf9fe_3889_bb3b_e074),
        ("2x3-default", 0x6982_4f1b_8ac8_7f91),
        ("2x4-default", 0x6cbd_3e07_7b3f_5f1d),
        ("2x5-default", 0xbaee_e4da_9f89_8c5c),
        ("2x6-default", 0x8550_9feb_a6c6_b814),
        ("2x7-default", 0x6b15_fcc7_bd3a_985f),
        ("2x8-default", 0x5736_5890_7bf2_9a1e),
        ("3x3-default", 0x05ff_2645_5038_7090),
        ("3x4-default", 0x2d69_7aa7_b4ff_f511),
        ("3x5-default", 0x0d18_f760_8519_f455),
        ("4x4-default", 0x8df4_6f16_4b92_fe52),
        ("4x4-large", 0xd928_bf99_5f6e_62c5),
        ("5x5-default", 0x81cd_d37e_3018_18b9),
        ("5x5-large", 0xa694_dd18_1b67_0b4e),
        ("2x2-mtm", 0xa644_1c99_0401_18ff),
        ("2x3-mtm", 0x18b1_c08f_aaf8_7927),
        ("2x4-mtm", 0xdd03_7310_5512_e509),
        ("2x5-mtm", 0x0b18_d08b_6dab_670e),
        ("2x6-mtm", 0xd11b_939c_5019_85db),
        ("2x7-mtm", 0x94b6_ad10_be3c_d477),
        ("2x8-mtm", 0x7515_0ff2_f80b_005a),
        ("3x3-mtm", 0xfb2c_1591_7603_088b),
        ("3x4-mtm", 0x3ad6_59fb_bf54_54e5),
        ("3x5-mtm", 0xbc90_3415_22d2_6247),
        ("4x4-mtm", 0xcefc_5080_cc62_c62c),
    ];

    const PAYLOADS: [(&str, u64); 4] = [
        ("2x3-default", 0xea3a_b972_4218_d9fd),
        ("3x3-default", 0xed3c_f97f_e1dd_55e1),
        ("2x3-mtm", 0x6b27_911e_855c_c93d),
        ("3x3-mtm", 0x884c_0f04_5cfc_9dc7),
    ];

    fn check(what: &str, found: u64, pinned: u64) {
        assert_eq!(
            (LAYOUT_VERSION, found),
            (PINNED, pinned),
            "{what} is {found:#018x}: stored tables of this version have another meaning; \
             raise LAYOUT_VERSION, then pin the version and the new digests here"
        );
    }

    #[test]
    fn patterns_are_pinned_to_the_layout_version() {
        for (spec, pinned) in PATTERNS {
            let found = spec.parse::<TableSpec>().unwrap().fingerprint();
            check(spec, found, pinned);
        }
    }

    #[test]
    fn payloads_are_pinned_to_the_layout_version() {
        for (spec, pinned) in PAYLOADS {
            let table = build(spec.parse().unwrap(), &|work| work(), &|_| {});
            check(&format!("the payload of {spec}"), digest(table.payload()), pinned);
        }
    }

    #[test]
    fn packing_and_dense_ranks_are_pinned_to_the_layout_version() {
        let (size, homes) = ("3x3".parse().unwrap(), [0, 1, 2, 3, 4]);
        let excesses = super::super::retrograde_search::half_excesses(
            size,
            &homes,
            8,
            &|work| work(),
            &|_| {},
        );
        let mut bytes = vec![0; ValueWidth::Two.bytes(PlacementRanking::count(9, 5))];
        pack(size, homes.len(), &excesses, ValueWidth::Two, &|work| work(), &mut bytes);
        check("two bits a value", digest(&bytes), 0xb0ad_2da9_2505_cdfd);
        // The large tables take too long to build here; these lists define their ranks.
        let ranking = PlacementRanking::new(16, 7);
        assert!(ranking.dense);
        let lists = [ranking.first.ranks, ranking.second.ranks].concat();
        let bytes: Vec<u8> = lists.into_iter().flat_map(u16::to_le_bytes).collect();
        check("a dense number", digest(&bytes), 0x9a1e_d0a5_dab9_141f);
    }
}
