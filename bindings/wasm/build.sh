#!/usr/bin/env bash
# Builds the page's WebAssembly into server/web: rules.wasm.gz, replay.wasm.gz, picture.wasm.gz, and
# wasm.from, which records what they were built from.
#
#   bindings/wasm/build.sh           builds
#   bindings/wasm/build.sh --check   fails if the committed files are not of these sources
#
# It uses the toolchain's target wasm32-unknown-unknown, which `rustup target add
# wasm32-unknown-unknown` installs. Without that target, on Debian, it takes the compiler and the
# standard library's sources from Debian's packages (their present version: `apt-get update`
# first), unpacked into the folder $DEBIAN_RUST (target/debian-rust), and links with rustup's
# rust-lld. That makes smaller files. Zopfli (Debian's package zopfli) compresses 5 % better than
# gzip -9.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=bindings/wasm
web=server/web
artefacts=(rules.wasm.gz replay.wasm.gz picture.wasm.gz)

# Prints the hash of each source, tests left out, and of each artefact.
hashes() {
    local sources
    sources=$(find shared/src "$here/src" -name '*.rs' -not -path '*/tests/*' -not -name 'tests.rs' |
        LC_ALL=C sort | xargs sha256sum "$here/Cargo.toml" "$here/Cargo.lock" | sha256sum)
    echo "sources ${sources%% *}"
    for artefact in "${artefacts[@]}"; do
        echo "$artefact $(sha256sum <"$web/$artefact" | cut -d' ' -f1)"
    done
}

if [ "${1:-}" = --check ]; then
    if ! diff <(hashes) <(grep -v '^toolchain' "$web/wasm.from"); then
        echo "the WebAssembly in $web is not of these sources: run $here/build.sh" >&2
        exit 1
    fi
    exit
fi

command -v zopfli >/dev/null || {
    echo "zopfli is missing: apt-get install zopfli" >&2
    exit 1
}
cargo=(cargo build --release --locked --manifest-path "$here/Cargo.toml"
    --target wasm32-unknown-unknown --target-dir "${CARGO_TARGET_DIR:-target}/wasm")
# A hash that isn't unrolled: a page hashes a few lines. No paths of the machine that builds.
export RUSTFLAGS="--cfg sha2_backend_soft=\"compact\" --remap-path-prefix=$PWD=. \
--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
sysroot=$(rustc --print sysroot)
if [ ! -d "$sysroot/lib/rustlib/wasm32-unknown-unknown" ]; then
    root=${DEBIAN_RUST:-target/debian-rust}
    if [ ! -x "$root/usr/bin/rustc" ]; then
        mkdir -p "$root"
        version=$(apt-cache show rustc-web | sed -n 's/^Version: \([0-9]*\.[0-9]*\).*/\1/p' | head -1)
        llvm=$(apt-cache depends "libstd-rust-web-$version" | sed -n 's/.*Depends: \(libllvm[0-9]*\)$/\1/p' | head -1)
        (cd "$root" && apt-get download rustc-web libstd-rust-web-dev "libstd-rust-web-$version" rust-web-src "$llvm" &&
            for package in *.deb; do dpkg -x "$package" . && rm "$package"; done)
    fi
    root=$(realpath "$root")
    # The packages conflict with rustup's when installed, so they are used where they lie.
    cat >"$root/rustc" <<END
#!/bin/sh
LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu exec $root/usr/bin/rustc "\$@"
END
    chmod +x "$root/rustc"
    host=$(rustc -vV | sed -n 's/^host: //p')
    export RUSTC=$root/rustc RUSTC_BOOTSTRAP=1
    # A trap says nothing to a page, so the texts and places of panics are left out: a quarter of the size.
    RUSTFLAGS+=" -Clinker=$sysroot/lib/rustlib/$host/bin/rust-lld -Zunstable-options -Cpanic=immediate-abort"
    RUSTFLAGS+=" -Zlocation-detail=none"
    cargo+=(-Zbuild-std=std,panic_abort -Zbuild-std-features=optimize_for_size)
fi
toolchain=$("${RUSTC:-rustc}" --version)

for artefact in rules:race replay:replay picture:picture; do
    "${cargo[@]}" --features "${artefact#*:}"
    name=${artefact%:*}
    built=${CARGO_TARGET_DIR:-target}/wasm/wasm32-unknown-unknown/release/gridrace_wasm.wasm
    zopfli -c "$built" >"$web/$name.wasm.gz"
    echo "$name.wasm: $(stat -c %s "$built") bytes, $(stat -c %s "$web/$name.wasm.gz") compressed"
done
{ hashes; echo "toolchain $toolchain"; } >"$web/wasm.from"
