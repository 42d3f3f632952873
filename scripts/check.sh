#!/usr/bin/env bash
# Everything that must hold before a change lands. A step that fails does not hide the next one; the last line is
# the count of tests, to which every other failed step adds one failure.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

failed_steps=()
step() {
  local name=$1
  shift
  echo "== ${name}"
  if ! "$@"; then
    failed_steps+=("${name}")
    echo "== ${name} failed"
  fi
}

log=$(mktemp)
trap 'rm -f "${log}"' EXIT
run_tests() { npm test -- --coverage 2>&1 | tee "${log}"; }

step lint npm run --silent lint
step typecheck npm run --silent typecheck
[ -f scripts/spec.mjs ] && step spec node scripts/spec.mjs --check
step tests run_tests
step package npm run --silent check:package

count=$(grep -aE '^[0-9]+ passed, [0-9]+ failed' "${log}" | tail -n 1)
passed=$(sed -E 's/^([0-9]+) passed.*/\1/' <<<"${count:-0 passed}")
failed=$(sed -nE 's/^[0-9]+ passed, ([0-9]+) failed.*/\1/p' <<<"${count}")
failed=${failed:-0}
skipped=$(sed -nE 's/.*(, [0-9]+ skipped)$/\1/p' <<<"${count}")
for name in "${failed_steps[@]}"; do
  # A failed test is already counted; a test step that printed no count broke as a whole.
  if [ "${name}" != tests ] || [ "${failed}" -eq 0 ]; then failed=$((failed + 1)); fi
done

if [ "${#failed_steps[@]}" -gt 0 ]; then echo "failed: ${failed_steps[*]}"; else echo 'every step passed'; fi
echo "${passed} passed, ${failed} failed${skipped}"
[ "${#failed_steps[@]}" -eq 0 ]
