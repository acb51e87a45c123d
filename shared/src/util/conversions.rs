//! Conversions of small types to and from text, and of validated types to and from their wire
//! forms.

/// The text does not have the required number of hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the right number of hexadecimal digits")]
pub struct HexError;

/// Writes bytes as lower-case hexadecimal text.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    hex::encode(bytes)
}

/// Reads exactly `N` bytes; digits of either case.
pub(crate) fn from_hex<const N: usize>(text: &str) -> Result<[u8; N], HexError> {
    let mut bytes = [0; N];
    hex::decode_to_slice(text, &mut bytes).map_err(|_| HexError)?;
    Ok(bytes)
}

/// Implements the conversions to and from `String`, which serde uses, of newtypes of bytes.
macro_rules! convert_as_hex {
    ($($name:ident),*) => {$(
        impl TryFrom<String> for $name {
            type Error = $crate::util::conversions::HexError;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                $crate::util::conversions::from_hex(&text).map(Self)
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                $crate::util::conversions::to_hex(&value.0)
            }
        }
    )*};
}
pub(crate) use convert_as_hex;

/// Implements the same of types that are parsed and displayed.
macro_rules! convert_as_text {
    ($($name:ident),*) => {$(
        impl TryFrom<String> for $name {
            type Error = <Self as std::str::FromStr>::Err;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.to_string()
            }
        }
    )*};
}
pub(crate) use convert_as_text;

/// Implements serde's traits by conversions from and to a wire form, which is validated.
macro_rules! serialize_as {
    ($($name:ident => $wire:ident),*) => {$(
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $wire::from(self.clone()).serialize(serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $wire::deserialize(from)?.try_into().map_err(serde::de::Error::custom)
            }
        }
    )*};
}
pub(crate) use serialize_as;

/// Implements `Debug` of secrets by their names alone.
macro_rules! hide_in_debug {
    ($($name:ident),*) => {$(
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!(stringify!($name), "(..)"))
            }
        }
    )*};
}
pub(crate) use hide_in_debug;
