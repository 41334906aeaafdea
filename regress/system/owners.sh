#!/bin/bash
# Workspaces with the files of several owners and groups, as a tool jail of a
# user, and of root, can read and change them. Never more than the user could.
. "$(dirname "$0")/../lib.sh"
case ${1:-} in
'')	# A user data base of our own, in a mount namespace of our own.
	T=$(mktemp -d)
	exec unshare -m --propagation private bash "$0" users "$T" ;;
users)
	trap 'rm -rf "$2"' EXIT
	for f in passwd group; do cp "/etc/$f" "$2/$f"; done
	echo "wftest:x:5001:5001::/:/bin/false" >>"$2/passwd"
	printf '%s\n' wftest:x:5001: wfshare:x:5050:wftest wfother:x:5060: \
	    >>"$2/group"
	for f in passwd group; do mount --bind "$2/$f" "/etc/$f"; done
	"$(dirname "$0")/../../etc/scratch" -- bash "$0" inside
	exit ;;
esac

cd "$WFSUP_SCRATCH" || exit 1
install -m 755 "$(command -v wfsupctl)" ctl
cat >script.py <<'END'
out = await tool("bash", command=args)
return out["stdout"] + out["stderr"]
END
chmod 644 script.py
# in_jail UID COMMAND: what it prints, in one line.
in_jail() {
	setpriv --reuid "$1" --regid "$1" --clear-groups ./ctl run --json \
	    --workspace w --args "\"$2\"" script.py 2>/dev/null |
	    sed -n 's/.*"result":"\([^"]*\)".*/\1/p' | sed 's/\\n$//; s/\\n/ /g'
}
# says WHAT UID COMMAND WANT: WANT is a regular expression for all of it.
says() {
	local got
	got=$(in_jail "$2" "($3) 2>&1; true")
	if grep -qxE -- "$4" <<<"$got"; then ok "$1"; else
		not_ok "$1: want '$4', got '$got'"
	fi
}
# put PATH OWNER MODE: a file that says its name.
put() { echo "${1##*/}" >"$1"; chown "$2" "$1"; chmod "$3" "$1"; }

mkdir -p w/group w/other w/root w/sticky
put w/own 5001:5001 600
put w/shared 5001:5050 640		# his, of the group of the directory
put w/strange 5001:5060 640		# his, of a group that he is not in
put w/mate 5002:5050 664		# somebody else's of his group
put w/secret 5002:5060 660		# nothing for him
put w/root/file 0:0 644
put w/root/mine 5001:5001 644
put w/anybody 0:0 666
put w/group/file 5001:5050 644
put w/other/file 5001:5060 644
put w/sticky/file 0:0 644
cp /bin/id w/suid
chown 0:0 w/suid
chmod 4755 w/suid
chown 5001:5050 w w/group
chown 5001:5060 w/other
chown 0:0 w/sticky
chmod 2775 w w/group
chmod 1777 w/sticky

says "the owner's file of mode 600 is read" 5001 "cat own" own
says "and written" 5001 "echo x >>own; cat own" "own x"
says "his file of another group is read" 5001 "cat shared strange" \
    "shared strange"
says "one of a group that he is in is written" 5001 \
    "echo x >>shared; cat shared" "shared x"
says "is moved" 5001 "mv shared new && cat new" shared
says "gets another mode" 5001 "chmod 600 shared; stat -c %a shared" 600
says "a directory of that group takes files" 5001 \
    "echo x >group/new && cat group/new && rm group/file && ls group" "x new"
says "is moved" 5001 "mv group g && ls g" file
says "one of a group that he is not in can be removed" 5001 \
    "rm strange && ls strange" ".*No such file.*"
says "but not be changed in place" 5001 "echo x >>strange" ".*too large.*"
says "somebody else's file is read as its mode says" 5001 \
    "cat mate root/file" "mate file"
says "or not" 5001 "cat secret" ".*Permission denied"
says "it can be removed from his directory" 5001 \
    "rm -f secret mate suid && ls -d secret mate suid 2>/dev/null | wc -l" 0
says "and be made anew" 5001 "sed -i s/any/every/ anybody; cat anybody" \
    everybody
says "not written where its mode forbids it" 5001 \
    "echo x >>root/file" ".*Permission denied"
says "not removed from a directory that he can't write" 5001 \
    "rm -f root/mine" ".*Permission denied"
says "nor from a sticky one" 5001 "rm -f sticky/file" \
    ".*Operation not permitted"
says "a set-user-id bit gives nothing" 5001 "./suid -u | wc -c" "[45]"
says "nor can he give his group away" 5001 "chgrp 65534 own" \
    ".*(Operation not permitted|Invalid argument)"

says "a user who is not in the group reads what others may" 5003 \
    "cat mate strange" "mate .*Permission denied"
says "and changes nothing" 5003 \
    "rm -f group/file; echo x >>own; mkdir other/d" \
    ".*denied.*denied.*denied"
says "but in the top directory, which is his layer's" 5003 \
    "rm mate; mkdir d; ls" "anybody d group other .*"

says "root's run has the directory's owner's rights" 0 \
    "cat own shared; echo x >>own; mv shared new; rm -r root/mine; ls new" \
    "own shared .*denied.*new"
says "not on what is root's own" 0 "echo x >>root/file" ".*denied"
chown 5002:5060 w && chmod 700 w
says "one of a directory that is closed to others, too" 0 \
    "cat secret; rm secret; cat own" "secret .*Permission denied"

check_eq "nothing of it has changed" \
    "anybody group mate other own root secret shared sticky strange suid" \
    "$(ls w | tr '\n' ' ' | sed 's/ $//')"
check_eq "and no content" "own shared file" \
    "$(cat w/own w/shared w/group/file | tr '\n' ' ' | sed 's/ $//')"
for _ in $(seq "$(slow 50)"); do
	[ -n "$(ls -A state/sandboxes)" ] || break
	sleep 0.1
done
check_eq "all layers have been removed" "" "$(ls -A state/sandboxes)"
finish
