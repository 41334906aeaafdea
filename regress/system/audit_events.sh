#!/bin/bash
# Every audit event of the sources is in wfsupd(8), with its room's word.
. "$(dirname "$0")/../lib.sh"
cd "$(dirname "$0")/../.." || exit 1
for event in $(grep -rhoE '"(admin|audit|canary|cap|daemon|jail|model|proto|'`
    `'room|run|sandbox|scope|secret)(\.[a-z]+)?", *"(ok|fail|grant|deny)' \
    --include='*.c' supervisor launcher reader warden mounter errand broker keeper gateway common |
    cut -d'"' -f2 | sort -u); do
	check "wfsupd(8) names the event $event" \
	    grep -qE "^(\.It Cm .*|admin\.[a-z. ,]*)\b$event\b" supervisor/wfsupd.8
done
finish
