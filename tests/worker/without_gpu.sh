# usage: without_gpu.sh GEAK_WORKER: bad bundles and missing devices end with an error that helps.
worker=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
fail() { echo "$1"; cat "$folder/log"; exit 1; }

echo "not a bundle" >"$folder/bad.geakbundle"
"$worker" "$folder/bad.geakbundle" -o "$folder/r.json" >"$folder/log" 2>&1 && fail "took a bad bundle"
grep -q "bad.geakbundle: it is no bundle of geak" "$folder/log" || fail "does not name the bundle"
[ -e "$folder/r.json" ] && fail "wrote a result"

"$worker" "$folder/none.geakbundle" >"$folder/log" 2>&1 && fail "took a missing bundle"
grep -q "none.geakbundle" "$folder/log" || fail "does not name the missing bundle"
exit 0
