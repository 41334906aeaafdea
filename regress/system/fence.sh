#!/bin/bash
# The fence: what each room's own objects import, against an allow-list in
# regress/fence/ROOM. A room that begins to use a new function of the system
# is seen in review, because the list must change in the same commit.
#
# WRITE=1 fence.sh writes the lists anew.
. "$(dirname "$0")/../lib.sh"
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}

# Sanitizers and the compiler's own helpers are no choice of the room's.
ours='^(__asan|__ubsan|__sanitizer|_GLOBAL_OFFSET|__stack_chk|__tsan|__start_|__stop_|__odr_asan)'

# imports OBJECT...: symbols that the objects need and none of them has.
imports() {
	nm -u "$@" | awk 'NF == 2 { print $2 }' | sort -u >"$T/u"
	nm --defined-only "$@" | awk 'NF == 3 { print $3 }' | sort -u >"$T/d"
	# A fortified function is the plain one: __memcpy_chk is memcpy.
	comm -23 "$T/u" "$T/d" | grep -vE "$ours" |
	    sed -E 's/^__(.*)_chk$/\1/; s/^__isoc[0-9]+_//; s/^__errno_location$/errno/' |
	    sort -u
}
if ! command -v nm >/dev/null; then
	skip "fence: there is no nm"
	finish
fi
# Sanitized objects call other functions than the ones that are installed.
if nm "$B"/common/log.o | grep -q __asan; then
	skip "fence: these objects are made with sanitizers"
	finish
fi
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
nm --defined-only $(for c in common/*.c; do
	[ ! -e "$B/${c%.c}.o" ] || echo "$B/${c%.c}.o"
done) | awk 'NF == 3 { print $3 }' |
    sort -u >"$T/common"

for room in supervisor launcher reader warden mounter errand broker keeper gateway \
    script tool wfsupctl common; do
	# Without those of sources that are gone.
	set -- $(find "$B/$room" -name '*.o' | while read -r o; do
		c=${o#"$B/$room/"}
		[ $room != common ] || c=common/$c
		[ ! -e "${c%.o}.c" ] || echo "$o"
	done)
	imports "$@" | comm -23 - "$T/common" >"$T/$room"
	if [ "${1:-}" = "" ]; then
		not_ok "fence: no objects of $room"
	elif [ -n "${WRITE:-}" ]; then
		cp "$T/$room" "regress/fence/$room"
	else
		check_eq "fence: $room imports nothing new" "" \
		    "$(comm -23 "$T/$room" "regress/fence/$room" | tr '\n' ' ')"
		check_eq "fence: $room's list has nothing that is gone" "" \
		    "$(comm -13 "$T/$room" "regress/fence/$room" | tr '\n' ' ')"
	fi
done

# never ROOM FUNCTION...: whatever the list says.
never() {
	local room=$1
	shift
	check_eq "fence: $room never imports $*" "" \
	    "$(grep -xE "$(echo "$*" | tr ' ' '|')" "regress/fence/$room" |
	    tr '\n' ' ')"
}
never broker open openat creat fopen socket fork vfork clone execve execv \
    execvp system popen posix_spawn sqlite3_open curl_easy_init Py_Initialize
never keeper socket connect fork vfork clone execve execv execvp system popen \
    posix_spawn curl_easy_init Py_Initialize
never gateway fork vfork execve execv system popen posix_spawn \
    sqlite3_open_v2 Py_Initialize
never launcher sqlite3_open_v2 curl_easy_init Py_Initialize system popen
never supervisor sqlite3_open_v2 curl_easy_init Py_Initialize getaddrinfo \
    system popen open openat creat fopen getpwnam getgrnam mkdir chown chmod
never reader sqlite3_open_v2 curl_easy_init Py_Initialize system popen fork \
    vfork clone execve execv execvp posix_spawn
never warden sqlite3_open_v2 curl_easy_init Py_Initialize getaddrinfo socket \
    connect fork vfork clone execve execv execvp system popen posix_spawn mount
never errand socket fork vfork clone execve execv execvp system popen posix_spawn
never mounter open openat fopen socket fork vfork clone execve execv execvp \
    system popen posix_spawn mount
for room in broker keeper gateway warden mounter errand supervisor common; do
	never $room qsort qsort_r
done
never script socket execve execv execvp system popen posix_spawn
never common fork vfork clone execve execv execvp system popen posix_spawn \
    getpwnam

# A room includes no other room's headers.
for room in supervisor launcher reader warden mounter errand broker keeper gateway \
    wfsupctl jail common; do
	others=$(ls supervisor/*.h launcher/*.h reader/*.h warden/*.h mounter/*.h errand/*.h \
	    broker/*.h keeper/*.h gateway/*.h wfsupctl/*.h jail/*.h jail/*/*.h | grep -v "^$room/" |
	    xargs -n 1 basename | sort -u)
	own=$(ls "$room"/*.h "$room"/*/*.h common/*.h 2>/dev/null |
	    xargs -n 1 basename | sort -u)
	foreign=$(comm -23 <(echo "$others") <(echo "$own"))
	used=$(find "$room" -name '*.[ch]' -exec grep -h '#include "' {} + |
	    sed 's/.*"\(.*\)".*/\1/; s/.*\///' | sort -u)
	check_eq "fence: $room includes no other room's header" "" \
	    "$(comm -12 <(echo "$foreign") <(echo "$used"))"
done

# What profiles may name is what the keeper offers.
check_eq "the reader knows the keeper's tools, and no other" \
    "$(sed -n 's/^\t\t\.name = "\(.*\)",$/\1/p' keeper/tooldef.c | sort)" \
    "$(sed -n '/tools\[\] = {/,/};/p' reader/conf_refs.c |
    grep -o '"[a-z]*"' | tr -d '"' | sort)"
finish
