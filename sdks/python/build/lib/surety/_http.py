"""One HTTP exchange on the standard library, within a time limit that holds for all of it."""

from __future__ import annotations

import http.client
import io
import socket
import ssl
import time
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional
from urllib.parse import urlsplit

# Far above every response of the service, and far below a backend's memory.
MAX_BODY_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, repr=False)
class Request:
    method: str
    url: str
    headers: Mapping[str, str]
    body: Optional[bytes]
    # Seconds for the whole exchange.
    timeout: float


@dataclass(frozen=True)
class Response:
    status: int
    # Names in lower case.
    headers: Mapping[str, str]
    # None for a body that is longer than `MAX_BODY_BYTES`.
    body: Optional[bytes]


class NotSent(Exception):
    """No connection was made, so the request never left."""


Transport = Callable[[Request], Response]


class _Reader(io.RawIOBase):
    def __init__(self, sock: socket.socket, ends_at: float) -> None:
        self._sock = sock
        self._ends_at = ends_at

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._sock.settimeout(_left(self._ends_at))
        return self._sock.recv_into(buffer)


class _LimitedSocket:
    """A socket whose reads and writes together end in time: a socket's own timeout starts again with every byte."""

    def __init__(self, sock: socket.socket, ends_at: float) -> None:
        self._sock = sock
        self._ends_at = ends_at

    def sendall(self, data: Any) -> None:
        self._sock.settimeout(_left(self._ends_at))
        self._sock.sendall(data)

    def makefile(self, *_: Any, **__: Any) -> io.BufferedReader:
        return io.BufferedReader(_Reader(self._sock, self._ends_at))

    def close(self) -> None:
        """Does nothing: `http.client` closes the socket before it reads a body that ends with the connection."""


def _left(ends_at: float) -> float:
    left = ends_at - time.monotonic()
    if left <= 0:
        raise socket.timeout("timed out")
    return left


def _read(response: http.client.HTTPResponse) -> Optional[bytes]:
    body = bytearray()
    while True:
        chunk = response.read(65_536)
        if not chunk:
            break
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            return None
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)
    return bytes(body)


def exchange(request: Request, context: Optional[ssl.SSLContext] = None) -> Response:
    """Sends a request on a connection of its own and reads the whole response. Follows no redirect.

    Raises `NotSent`, `TimeoutError`, and for a broken connection `OSError` or `http.client.HTTPException`.
    """
    ends_at = time.monotonic() + request.timeout
    parts = urlsplit(request.url)
    host, port = parts.hostname or "", parts.port
    connection: http.client.HTTPConnection
    if parts.scheme == "https":
        secure = context if context is not None else ssl.create_default_context()
        connection = http.client.HTTPSConnection(host, port, timeout=request.timeout, context=secure)
    else:
        connection = http.client.HTTPConnection(host, port, timeout=request.timeout)
    sock: Optional[socket.socket] = None
    try:
        try:
            connection.connect()
        except (OSError, ValueError) as error:
            raise NotSent(str(error)) from None
        sock = connection.sock
        connection.sock = _LimitedSocket(sock, ends_at)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request(request.method, target, request.body, {**request.headers, "connection": "close"})
        response = connection.getresponse()
        headers = {name.lower(): value for name, value in response.getheaders()}
        return Response(response.status, headers, _read(response))
    except socket.timeout:
        # Python 3.9 has two classes for it.
        raise TimeoutError from None
    finally:
        connection.close()
        if sock is not None:
            sock.close()
