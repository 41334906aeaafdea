#!/bin/bash
# SIGHUP: a wrong configuration changes nothing and says where it is wrong, a
# right one is in force at once, runs go on, a new key is used; and what the
# service manager is told.
. "$(dirname "$0")/../lib.sh"
cd "$(dirname "$0")/../.." || exit 1
. regress/own.sh

cat >"$T/manager.py" <<'END2'
import os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
while True:
    print(s.recv(4096).decode(), flush=True)
END2
/usr/bin/python3 "$T/manager.py" "$T/notify" >"$T/told" &
manager=$!
# A model that says which key it was asked with.
cat >"$T/model.py" <<'END2'
import http.server, json, sys
class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        said = f'{self.headers.get("authorization")} {body["model"]}'
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for delta, end in ({"content": said}, None), ({}, "stop"):
            self.wfile.write(b"data: " + json.dumps({"id": "x",
                "object": "chat.completion.chunk", "model": body["model"],
                "choices": [{"index": 0, "delta": delta,
                             "finish_reason": end}]}).encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n")
    def log_message(self, *args):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
print(server.server_port, flush=True)
server.serve_forever()
END2
/usr/bin/python3 "$T/model.py" >"$T/port" &
model=$!
trap 'kill "$manager" "$model"; own_end' EXIT
for _ in $(seq "$(slow 50)"); do
	[ -s "$T/port" ] && [ -S "$T/notify" ] && break
	sleep 0.1
done

(umask 077 && echo one >"$T/key")
own_conf "log stderr" "provider p {" "	type openai" \
    "	url \"http://127.0.0.1:$(cat "$T/port")/v1\"" \
    "	key file \"$T/key\"" "}" "model m {" "	provider p" \
    "	name \"first\"" "}"
cp -p "$T/wfsupd.conf" "$T/good"
export NOTIFY_SOCKET=$T/notify
own_start || { cat "$T/log"; exit 1; }
unset NOTIFY_SOCKET

# hup: and wait for the audit line.
hup() {
	local n
	n=$(grep -c event=daemon.reload "$T/log")
	kill -HUP "$daemon"
	for _ in $(seq "$(slow 50)"); do
		[ "$(grep -c event=daemon.reload "$T/log")" -gt "$n" ] && break
		sleep 0.1
	done
	sleep 0.2	# for the rooms
	outcome=$(grep event=daemon.reload "$T/log" | tail -1 |
	    grep -o 'outcome=[a-z]*')
}
# use SED...: a changed configuration.
use() { sed "$@" "$T/good" >"$T/wfsupd.conf"; }
answers() { timeout 5 wfsupctl version >/dev/null 2>&1; }
ask() { timeout 10 wfsupctl run --json "$T/ask.py" 2>/dev/null |
    grep -o '"result":"[^"]*"'; }
echo 'return await agent("hello")' >"$T/ask.py"
echo 'return (await tool("bash", command="echo hi"))["stdout"]' >"$T/sh.py"
cat >"$T/long.py" <<'END2'
await sleep(6)
return (await tool("bash", command="echo hi"))["stdout"]
END2
wfsupctl run --json "$T/long.py" >"$T/long" 2>/dev/null &
long=$!
sleep 0.3

check_eq "the model is asked with the key" '"result":"Bearer one first"' \
    "$(ask)"
use '$a nonsense'
hup
check_eq "a mistake: refused" outcome=fail "$outcome"
check "and the log says where" grep -q "wfsupd.conf:$(wc -l \
    <"$T/wfsupd.conf"): .*nonsense" "$T/log"
use 's/^jail ids.*/jail ids 100000/'
hup
check_eq "what needs a restart: refused" outcome=fail "$outcome"
use '$a limit jails 16384'
hup
check_eq "more files than may be open: refused" outcome=fail "$outcome"
check "and the log says what to do" grep -q LimitNOFILE "$T/log"
use ''
chmod 666 "$T/wfsupd.conf"
hup
check_eq "writable by others: refused" outcome=fail "$outcome"
chmod 600 "$T/wfsupd.conf"
mv "$T/wfsupd.conf" "$T/away"
hup
check_eq "not there: refused" outcome=fail "$outcome"
mv "$T/away" "$T/wfsupd.conf"
check_eq "all that changed nothing" '"result":"Bearer one first"' "$(ask)"

echo two >"$T/key"
use 's/"first"/"second"/'
hup
check_eq "a right one: taken" outcome=ok "$outcome"
check_eq "new key, new model" '"result":"Bearer two second"' "$(ask)"
use 's/tools { "\*" }/tools { read }/'
hup
out=$(timeout 10 wfsupctl run --json "$T/sh.py" 2>/dev/null)
check "a narrower profile binds new runs" grep -q '"class":"ScopeError"' \
    <<<"$out"
use 's/^allow user 0/allow user 1/'
hup
wfsupctl list >/dev/null 2>&1
check_eq "no profile, nothing allowed" 7 $?
use ''
rm -f "$T/log2"
sed -i "s,^log stderr,log socket \"$T/syslog\"," "$T/wfsupd.conf"
/usr/bin/python3 "$T/manager.py" "$T/syslog" >"$T/log2" &
syslog=$!
trap 'kill "$manager" "$model" "$syslog"; own_end' EXIT
for _ in $(seq "$(slow 50)"); do
	[ -S "$T/syslog" ] && break
	sleep 0.1
done
kill -HUP "$daemon"
sleep "$(slow 1)"
wfsupctl run "$T/sh.py" >/dev/null 2>&1
check "another log socket is used at once" grep -q 'event=admin.submit' \
    "$T/log2"
wait "$long"
check "a run that began before all that has completed" \
    grep -q '"state":"completed","result":"hi' "$T/long"
use ''
kill -HUP "$daemon"
check "from a socket to standard error: refused" bash -c 'for _ in $(seq 50)
    do grep -q "event=daemon.reload outcome=fail" "$1" && exit; sleep 0.1
    done; exit 1' sh "$T/log2"
for _ in $(seq 100); do kill -HUP "$daemon"; done
sleep 0.5
check "a hundred SIGHUPs in a row do no harm" answers
own_stop
check_eq "the stop is in order" 0 "$own_status"
check_eq "the service manager was told of start, reload and stop" \
    "READY=1 RELOADING=1 READY=1 STOPPING=1" \
    "$( (head -3 "$T/told"; tail -1 "$T/told") | paste -sd' ')"

# While it starts: a reload is not the end of the start.
: >"$T/log"
told=$(wc -l <"$T/told")
NOTIFY_SOCKET=$T/notify setsid wfsupd -f "$T/wfsupd.conf" >>"$T/log" 2>&1 \
    </dev/null &
daemon=$!
for _ in $(seq "$(slow 200)"); do
	[ -n "$(room broker)" ] && break
	sleep 0.01
done
for _ in $(seq 10); do kill -HUP "$daemon"; done
for _ in $(seq "$(slow 100)"); do
	answers && break
	sleep 0.1
done
check "SIGHUP while it starts: taken" grep -q event=daemon.reload "$T/log"
check_eq "and ready is said once, when it is" READY=1 \
    "$(tail -n "+$((told + 1))" "$T/told" | paste -sd' ')"
own_stop
finish
