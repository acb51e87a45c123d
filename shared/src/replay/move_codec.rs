//! The encoding of boards and moves in a replay, by family.

use crate::puzzle::id::FamilyKind;
use crate::puzzle::{Board, Family, Move, families};
use crate::util::byte_codec::{ByteReader, ReadError, put_number};

macro_rules! define_move_codec {
    ($($Variant:ident = $module:ident,)+) => {
        /// One player's state of the encoding of moves.
        #[derive(Debug, Clone)]
        pub(super) enum MoveCodec {
            $($Variant(<families::$Variant as Family>::MoveCodec),)+
        }

        impl MoveCodec {
            pub(super) fn new(start: &Board) -> Self {
                match start {
                    $(Board::$Variant(board) => Self::$Variant(families::$Variant::move_codec(board)),)+
                }
            }

            /// Returns the number of codes of a move; constant during a heat.
            pub(super) fn move_codes(&self) -> u64 {
                match self {
                    $(Self::$Variant(codec) => families::$Variant::move_codes(codec),)+
                }
            }

            /// Returns the code of a move and appends what follows it; `None` for a move that no
            /// rules allow.
            pub(super) fn encode(&mut self, tail: &mut Vec<u8>, play: &Move) -> Option<u64> {
                match (self, play) {
                    $((Self::$Variant(codec), Move::$Variant(play)) => {
                        families::$Variant::encode_move(codec, tail, play)
                    })+
                    _ => None,
                }
            }

            /// Decodes a move from its code, below [`MoveCodec::move_codes`], and what follows it.
            pub(super) fn decode(
                &mut self,
                reader: &mut ByteReader<'_>,
                code: u64,
            ) -> Result<Move, ReadError> {
                match self {
                    $(Self::$Variant(codec) => {
                        families::$Variant::decode_move(codec, reader, code).map(Move::$Variant)
                    })+
                }
            }
        }

        /// Writes the board from which the heat starts: the family's place in the list, then the
        /// board.
        pub(super) fn put_board(out: &mut Vec<u8>, board: &Board) {
            match board {
                $(Board::$Variant(board) => {
                    put_number(out, FamilyKind::$Variant as u64);
                    families::$Variant::encode_board(out, board);
                })+
            }
        }

        pub(super) fn read_board(reader: &mut ByteReader<'_>) -> Result<Board, ReadError> {
            let last = FamilyKind::ALL.len() as u64 - 1;
            match FamilyKind::ALL[reader.number("the family of the puzzle", last)? as usize] {
                $(FamilyKind::$Variant => {
                    families::$Variant::decode_board(reader).map(Board::$Variant)
                })+
            }
        }
    };
}

crate::for_each_family!(define_move_codec);

/// Returns the number of codes of a move: the same for all players of a heat.
pub(super) fn move_codes(codecs: &[MoveCodec]) -> u64 {
    codecs.first().map_or(0, MoveCodec::move_codes)
}
