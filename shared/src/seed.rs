//! Seeds and the portable randomness they name.
