"""Which strings are URIs and times."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acpsim.wire.formats import SURE_TIME, SURE_URI, is_date_time, is_uri

# What the official SDK's validators take: they ask the URL parser of their runtime.
TAKEN = (
    *("http://a", "HTTP://x", "http:/x", "http:x", "https:///x", "http:\\\\x", " http://a "),
    *("http://[::1]/", "http://a:80/", "http://user:pw@host", "http://a..b/", "http://1.2.3/"),
    *("http://exa%41mple.com", "http://\u00fc.de", "http://\U0001f600/", "http://a/{}", "ws://x"),
    *("file:///x", "file:x", "file:", "file://host/p", "file:///C:/x", "C:\\x", "c:/x"),
    *("a:", "a:b", "a:b c", "mailto:x", "urn:x:y", "data:,x", "a+b.c-1:x", "javascript:alert(1)"),
    *("foo:///x", "foo://", "foo://#", "zed:///a/b.py#L1:2", "zed://agent/x", "\0http://a/"),
)
REFUSED = (
    *("", "x", "/abs/path", "plan.md", "1a:b", "-a:b", ":x", "//host/x", "\ufb00:x"),
    *("http:", "http://", "http://#", "http://?", "http://user@", "https:/", "ws:", "ftp:"),
    *("ht tp://x", "http://a b/", "http://[zz]/", "http://a:99999/", "http://%zz/", "http://a^b/"),
    *("http://256.256.256.256/", "http://a%2fb/", "http://xn--/", "http://a:b/", "file://a b/"),
    *("foo://a b", "foo://a:99999/", "foo://[zz]", "foo://@", "foo://u@", "foo://:80", "foo://a<b"),
)


@pytest.mark.parametrize("text", TAKEN)
def test_an_absolute_uri_is_taken(text: str) -> None:
    assert is_uri(text)


@pytest.mark.parametrize("text", REFUSED)
def test_what_has_no_scheme_or_no_usable_host_is_refused(text: str) -> None:
    assert not is_uri(text)


@given(st.sampled_from(TAKEN + REFUSED) | st.text("ahtp:/.@[]%?#1 \\C", max_size=14))
def test_what_is_surely_a_uri_is_one(text: str) -> None:
    assert is_uri(text) or not re.search(SURE_URI, text)


@given(st.text(max_size=20) | st.text("htpfile:/[].%@x1", max_size=20))
def test_asking_for_a_uri_never_raises(text: str) -> None:
    is_uri(text)
    is_uri(f"http://{text}")


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-31T23:59:59Z",
        "2024-02-29T00:00:00+14:00",
        "2000-02-29T00:00:00.123456789-23:59",
        "0000-02-29T00:00:00Z",
    ],
)
def test_a_time_with_an_offset_is_taken(text: str) -> None:
    assert is_date_time(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "2026-01-31", "2026-01-31T23:59:59", "2026-01-31T23:59Z", "2026-01-31 23:59:59Z"),
        *("2026-01-31t23:59:59z", "2026-1-31T23:59:59Z", "2026-01-31T24:00:00Z"),
        *("2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z"),
        *("2026-00-10T00:00:00Z", "2026-13-10T00:00:00Z", "2026-01-00T00:00:00Z"),
        *("2026-01-31T23:59:59+0100", "2026-01-31T23:59:59+24:00", "2026-01-31T23:59:59.Z"),
        *("2026-01-31T23:59:59Z\n", "\uff12026-01-31T23:59:59Z", "2026-01-31T23:59:60Z"),
    ],
)
def test_what_is_no_time_with_an_offset_is_refused(text: str) -> None:
    assert not is_date_time(text)


@given(st.from_regex(SURE_TIME))
def test_what_is_surely_a_time_is_one(text: str) -> None:
    assert is_date_time(text)
