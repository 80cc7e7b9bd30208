"""A service manager's end of NOTIFY_SOCKET: writes each message as a line, "|" between its parts.
sd_socket.py PATH OUT; a leading @ means an abstract socket."""
import socket
import sys

path, out = sys.argv[1:]
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind("\0" + path[1:] if path.startswith("@") else path)
with open(out, "w") as f:
    print("listening", file=f, flush=True)
    while True:
        print(s.recv(4096).decode().replace("\n", "|"), file=f, flush=True)
