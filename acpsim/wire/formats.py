"""Strings with a format: URIs and times. What the official SDK's validators take is taken here.

Owns: `FORMATS`, the exact test of each format, and for each a pattern of what is *surely* in it.
Strict decoding looks at the pattern alone; a string that it does not match is read the tolerant
way, which asks the exact test. So a pattern may be narrower than its test, never wider.

A URI is what a browser's `URL` takes: a scheme is needed, and the schemes of the web need a host.
It is read leniently otherwise, as the URL Standard says ("URL parsing"), so `a:b` is one.
"""

from __future__ import annotations

import calendar
import ipaddress
import re
import unicodedata
from collections.abc import Callable
from typing import Final
from urllib.parse import unquote_to_bytes

_LABEL: Final = "[A-Za-z](?:-?[A-Za-z0-9])*"
_WEB: Final = rf"(?:https?|wss?|ftp)://{_LABEL}(?:\.{_LABEL})*(?::[0-9]{{1,4}})?(?:[/?#]|\Z)"
_LOCAL: Final = r"(?!(?:https?|wss?|ftp):)[a-z][a-z0-9+.-]*:///"
_OPAQUE: Final = r"(?!(?:https?|wss?|ftp|file):)[a-z][a-z0-9+.-]*:[A-Za-z0-9]"
SURE_URI: Final = rf"\A(?:{_WEB}|{_LOCAL}|{_OPAQUE})"

_TIME: Final = r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?"
_OFFSET: Final = r"(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
SURE_TIME: Final = rf"\A[0-9]{{4}}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8]){_TIME}{_OFFSET}\Z"

_DATE_TIME: Final = re.compile(rf"\A([0-9]{{4}})-(0[1-9]|1[0-2])-([0-3][0-9]){_TIME}{_OFFSET}\Z")
_SCHEME: Final = re.compile(r"\A([A-Za-z][A-Za-z0-9+.-]*):")
_DEFAULT_HOST: Final = frozenset({"http", "https", "ws", "wss", "ftp"})
"""The schemes that need a host; `file` is special too, but may do without."""
_EDGES: Final = (
    "".join(map(chr, [*range(0x21), 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029]))
    + "\u202f\u205f\u3000\ufeff"
)
"""What is cut off at both ends before parsing: white space, and control characters."""
_NOT_IN_HOST: Final = frozenset("\0\t\n\r #/:<>?@[\\]^|")
_NOT_IN_DOMAIN: Final = _NOT_IN_HOST | frozenset("%\x7f") | frozenset(map(chr, range(0x20)))
_IGNORED: Final = dict.fromkeys(map(ord, "\xad\u200b\u2060\ufeff"))
_PORT_MAX: Final = 65535


def is_date_time(text: str) -> bool:
    """Whether the text is a date, a time to the second and an offset, all of which exist."""
    found = _DATE_TIME.match(text)
    if found is None:
        return False
    year, month, day = (int(part) for part in found.groups())
    # The calendar module begins with the year 1; the year 0 was a leap year like 2000.
    return 1 <= day <= calendar.monthrange(year or 2000, month)[1]


def is_uri(text: str) -> bool:
    """Whether the text is an absolute URI as the URL Standard reads one."""
    text = re.sub(r"[\t\n\r]", "", text.strip(_EDGES))
    found = _SCHEME.match(text)
    if found is None:
        return False
    scheme, rest = found.group(1).lower(), text[found.end() :]
    if scheme in _DEFAULT_HOST:
        authority = re.split(r"[/\\?#]", rest.lstrip("/\\"), maxsplit=1)[0]
        return authority != "" and _is_authority(authority, is_domain=True)
    if scheme == "file":
        return _is_file(rest)
    if not rest.startswith("//"):
        return True
    authority = re.split(r"[/?#]", rest[2:], maxsplit=1)[0]
    return authority == "" or _is_authority(authority, is_domain=False)


def _is_file(rest: str) -> bool:
    if not re.match(r"[/\\]{2}", rest):
        return True
    host = re.split(r"[/\\?#]", rest[2:], maxsplit=1)[0]
    # A drive letter is no host ("file host state").
    return host == "" or re.match(r"\A[A-Za-z][:|]\Z", host) is not None or _is_domain(host)


def _is_authority(authority: str, *, is_domain: bool) -> bool:
    host = authority.rpartition("@")[2]
    found = re.match(r"\A(\[[^\]]*\]|[^:]+)(?::0*([0-9]{0,5}))?\Z", host)
    if found is None:
        return False
    name, port = found.groups()
    if port and int(port) > _PORT_MAX:
        return False
    return _is_domain(name) if is_domain else _is_opaque_host(name)


def _is_opaque_host(name: str) -> bool:
    if name.startswith("["):
        return _is_ipv6(name)
    return not _NOT_IN_HOST & set(name)


def _is_ipv6(name: str) -> bool:
    try:
        ipaddress.IPv6Address(name[1:-1] if name.endswith("]") else "")
    except ValueError:
        return False
    return "%" not in name


def _is_domain(name: str) -> bool:
    if name.startswith("["):
        return _is_ipv6(name)
    domain = unquote_to_bytes(name).decode("utf-8", "replace")
    if not domain.isascii():
        domain = _mapped(domain)
    if domain == "" or _NOT_IN_DOMAIN & set(domain):
        return False
    labels = domain.lower().split(".")
    if any(label.startswith("xn--") and not _is_punycode(label[4:]) for label in labels):
        return False
    last = labels[-2] if labels[-1] == "" and len(labels) > 1 else labels[-1]
    if _number(last) is not None or (last != "" and last.isdigit()):
        return _is_ipv4(labels[:-1] if labels[-1] == "" else labels)
    return True


def _mapped(domain: str) -> str:
    """The domain with compatible characters made one and invisible ones left out.

    Which characters above ASCII a name may have is not looked into.
    """
    plain = unicodedata.normalize("NFKC", domain).translate(_IGNORED)
    return "" if "\ufffd" in plain else plain.replace("\u3002", ".")


def _is_punycode(label: str) -> bool:
    try:
        return label.encode("ascii").decode("punycode") != ""
    except UnicodeError:
        return False


def _number(part: str) -> int | None:
    """A part of an IPv4 address: decimal, octal or hexadecimal."""
    try:
        if part[:2] in {"0x", "0X"}:
            return int(part[2:] or "0", 16) if re.match(r"\A[0-9A-Fa-f]*\Z", part[2:]) else None
        if len(part) > 1 and part[0] == "0":
            return int(part, 8) if part.isdigit() else None
        return int(part) if re.match(r"\A[0-9]+\Z", part) else None
    except ValueError:
        return None


def _is_ipv4(parts: list[str]) -> bool:
    numbers = [_number(part) for part in parts]
    if len(numbers) > 4 or any(number is None for number in numbers):
        return False
    *front, last = [number for number in numbers if number is not None]
    return all(number <= 255 for number in front) and last < 256 ** (5 - len(numbers))


FORMATS: Final[dict[str, tuple[Callable[[str], bool], str]]] = {
    "uri": (is_uri, "is no URI"),
    "date-time": (is_date_time, "is no date and time with an offset"),
}
"""The test of each format, and what is said of a string that fails it."""
