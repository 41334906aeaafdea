"""An HTTP server on the loopback that behaves as badly as it is told to."""
import json
import socket
import struct
import threading
import time


def sse(*chunks, done=True):
    """A stream of chunks as bytes."""
    out = "".join("data: " + (c if isinstance(c, str) else json.dumps(c)) +
                  "\n\n" for c in chunks)
    return (out + ("data: [DONE]\n\n" if done else "")).encode()


def delta(content=None, finish=None, calls=None):
    d = {}
    if content is not None:
        d["content"] = content
    if calls is not None:
        d["tool_calls"] = calls
    return {"id": "c-1", "choices": [
        {"index": 0, "delta": d, "finish_reason": finish}]}


def head(status="200 OK", ctype="text/event-stream", *extra, length=None):
    lines = ["HTTP/1.1 " + status, "Connection: close"]
    if ctype:
        lines.append("Content-Type: " + ctype)
    if length is not None:
        lines.append("Content-Length: %d" % length)
    lines += extra
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def reset(sock):
    """Close with RST."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                    struct.pack("ii", 1, 0))


class Server:
    """play(sock) answers each request, reply(sock, request) if that is set.
    What came, (line, headers, body), is in self.requests."""

    def __init__(self, wrap=None):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.requests = []
        self.gone = threading.Event()
        self.play = self.reply = None
        self.wrap = wrap
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            sock, _ = self.listener.accept()
            threading.Thread(target=self.one, args=(sock,),
                             daemon=True).start()

    def read_request(self, sock):
        data = b""
        while b"\r\n\r\n" not in data:
            more = sock.recv(65536)
            if not more:
                return None
            data += more
        top, _, body = data.partition(b"\r\n\r\n")
        lines = top.decode().split("\r\n")
        headers = {}
        for line in lines[1:]:
            k, _, v = line.partition(":")
            headers[k.lower()] = v.strip()
        while len(body) < int(headers.get("content-length", 0)):
            body += sock.recv(65536)
        return lines[0], headers, json.loads(body)

    def one(self, sock):
        with sock:
            try:
                if self.wrap is not None:
                    sock = self.wrap(sock)
                request = self.read_request(sock)
                if request is None:
                    return
                self.requests.append(request)
                if self.reply is not None:
                    self.reply(sock, request)
                else:
                    self.play(sock)
            except (OSError, ValueError):
                self.gone.set()


def say(*pieces, pause=0.0):
    """Send the pieces, with pauses between."""
    def play(sock):
        for p in pieces:
            sock.sendall(p)
            time.sleep(pause)
    return play
