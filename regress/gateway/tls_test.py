"""Whom the gateway trusts."""
import os
import shutil
import ssl
import subprocess
import sys
import tempfile

import harness
from harness import Gateway, case, run
from providers import GOOD, KEY, openai
from server import Server, say


def make_certificate(d):
    """A certificate for localhost and a store that trusts it, below d."""
    store = os.path.join(d, "store")
    os.mkdir(store)
    cert = os.path.join(store, "c.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes",
         "-keyout", os.path.join(d, "key.pem"), "-out", cert, "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
        check=True, stderr=subprocess.DEVNULL)
    name = subprocess.run(["openssl", "x509", "-hash", "-noout", "-in", cert],
                          check=True, stdout=subprocess.PIPE, text=True)
    os.symlink("c.pem", os.path.join(store, name.stdout.strip() + ".0"))
    os.chmod(d, 0o755)


def tls_server(d):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(d, "store", "c.pem"),
                            os.path.join(d, "key.pem"))
    s = Server(wrap=lambda sock: context.wrap_socket(sock, server_side=True))
    s.play = say(GOOD)
    return s


def test_tls():
    if shutil.which("openssl") is None:
        print("skip TLS: there is no openssl to make a certificate")
        return
    with tempfile.TemporaryDirectory() as d:
        make_certificate(d)
        s = tls_server(d)
        g = Gateway(openai(s.port, scheme="https", host="localhost"),
                    keys={"o": KEY})
        _, name, env, _ = g.ask("hi")
        case(name == "MODEL_FAIL" and env["class"] == "fatal" and
             "can't trust" in env["message"] and not s.requests,
             "a certificate of nobody: refused, no key is sent", env)
        plain = Server(wrap=lambda sock: sock.sendall(b"HTTP/1.1 400 No\r\n"))
        g.configure(openai(plain.port, scheme="https"))
        _, _, env, _ = g.ask("hi")
        case(env["class"] == "transient" and g.alive(),
             "TLS to a server that does not speak it", env)
        g.stop()
        # The same with a certificate store of our own, for its mounts only.
        done = subprocess.run(
            ["unshare", "-m", "sh", "-c",
             'mount --bind "$1/store" /etc/ssl/certs && exec "$2" "$3" '
             '--trusted "$1"', "sh", d, sys.executable, __file__])
        harness.failures += done.returncode != 0


def trusted(d):
    s = tls_server(d)
    g = Gateway(openai(s.port, scheme="https", host="localhost"),
                keys={"o": KEY})
    case(g.ask("hi")[0] == "hello", "a certificate of somebody we trust")
    s.requests.clear()
    g.configure(openai(s.port, scheme="https"))
    _, _, env, _ = g.ask("hi")
    case(env.get("class") == "fatal" and "does not match" in env["message"]
         and not s.requests, "but for another name: refused", env)
    g.stop()


if sys.argv[1:2] == ["--trusted"]:
    trusted(sys.argv[2])
    sys.exit(harness.failures != 0)
run(test_tls)
