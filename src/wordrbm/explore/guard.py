"""Who may ask, how much, and what a browser may do with the answer.

The page is for the person at this machine. A site in another tab must not ask on their behalf, so
the names of host and origin are checked (a name that a hostile server resolves to 127.0.0.1 is not
among them), a request from another site gets no answer, and bodies are small. A browser runs only
scripts of this server, none in line, and connects nowhere else.
"""

import ipaddress
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders

from wordrbm.explore.answers import refuse

MAX_BODY_BYTES = 65_536
LOCAL_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
ANY_ADDRESS = frozenset({"0.0.0.0", "::"})
SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]


@final
@dataclass(frozen=True)
class Guard:
    """ASGI middleware: refuses foreign hosts, foreign origins and large bodies; adds headers."""

    app: Application
    host: str = "127.0.0.1"  # that the server is bound to

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        fault = self.fault(Headers(scope=scope), scope["method"], scope["path"])
        if fault is not None:
            await refuse(*fault)(scope, receive, send_with_headers)
            return
        await self.app(scope, receive, send_with_headers)

    def fault(self, headers: Headers, method: str, path: str) -> tuple[int, str] | None:
        """The status and the sentence of a refusal; None for a request that may pass."""
        host = headers.get("host", "")
        if not self.is_known_host(host):
            return 403, f"The host {host[:60]!r} is not this server; open the address it printed."
        origin = headers.get("origin")
        if origin is not None and not is_same_origin(origin, host):
            return 403, f"The origin {origin[:60]!r} may not ask this server; open its own page."
        is_foreign = headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
        if is_foreign and (path.startswith("/api") or method != "GET"):
            return 403, "A page of another site may not ask this server; open its own page."
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 12 or int(length) > MAX_BODY_BYTES:
            return 413, f"The request has {length[:20]} bytes; {MAX_BODY_BYTES:,} are the most."
        return None

    def is_known_host(self, host: str) -> bool:
        """Whether a Host header names this server: its own name, or an address if it has any."""
        name = host_name(host)
        if name in LOCAL_NAMES or name == self.host:
            return True
        return self.host in ANY_ADDRESS and is_address(name)


def host_name(host: str) -> str:
    """The name in a Host header, without the port; empty if it is malformed."""
    try:
        parts = urlsplit(f"//{host}")
        is_plain = parts.netloc == host and "@" not in host and (parts.port or 1) > 0
        return (parts.hostname or "") if is_plain else ""
    except ValueError:
        return ""


def is_same_origin(origin: str, host: str) -> bool:
    """Whether an origin is a page of this server, over http."""
    return origin.lower() == f"http://{host.lower()}"


def is_address(name: str) -> bool:
    """Whether a host name is an IP address: no foreign name can be resolved to that."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
