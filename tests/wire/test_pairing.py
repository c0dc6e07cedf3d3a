"""Which response answers which request."""

from __future__ import annotations

from acpsim.wire.edition import DRAFT
from acpsim.wire.jsonrpc import Malformed, OtherRequest, Response
from acpsim.wire.pairing import Open, Pairing
from acpsim.wire.parse import read_value

ASK = OtherRequest(id=1, method="_ask")


def test_a_response_answers_the_request_of_the_other_side() -> None:
    pairing = Pairing()
    pairing.request("c2a", ASK, 3)

    assert pairing.answer("a2c", Response(id=1, result={})) == Open(message=ASK, line=3)


def test_a_request_is_answered_once() -> None:
    pairing = Pairing()
    pairing.request("c2a", ASK, 3)
    pairing.answer("a2c", Response(id=1, result={}))

    assert pairing.answer("a2c", Response(id=1, result={})) is None


def test_each_side_chooses_ids_for_itself() -> None:
    pairing = Pairing()
    pairing.request("c2a", ASK, 3)
    pairing.request("a2c", ASK, 4)

    assert pairing.answer("c2a", Response(id=1, result={})) == Open(message=ASK, line=4)
    assert list(pairing.open("c2a")) == [1]


def test_a_number_and_its_text_are_two_ids() -> None:
    pairing = Pairing()
    pairing.request("c2a", ASK, 3)

    assert pairing.answer("a2c", Response(id="1", result={})) is None


def test_an_id_that_is_used_again_names_the_request_that_waits() -> None:
    pairing = Pairing()
    pairing.request("c2a", ASK, 3)

    assert pairing.request("c2a", ASK, 5) == Open(message=ASK, line=3)
    assert pairing.answer("a2c", Response(id=1, result={})) == Open(message=ASK, line=5)


def test_a_malformed_request_is_open_and_a_malformed_response_closes_it() -> None:
    pairing = Pairing()
    request = read_value({"jsonrpc": "2.0", "id": 1, "method": "session/new"}, DRAFT).message
    response = read_value({"jsonrpc": "2.0", "id": 1, "result": 1, "error": 1}, DRAFT).message
    assert isinstance(request, Malformed)
    assert isinstance(response, Malformed)

    pairing.request("c2a", request, 1)

    assert pairing.answer("a2c", response) == Open(message=request, line=1)


def test_an_error_without_an_id_answers_nothing() -> None:
    pairing = Pairing()
    pairing.request("c2a", ASK, 3)

    assert pairing.answer("a2c", Response(id=None, result={})) is None


def test_ids_start_anew_when_the_connection_is_lost() -> None:
    pairing = Pairing()
    pairing.request("c2a", ASK, 3)
    pairing.lose()

    assert pairing.request("c2a", ASK, 7) is None


def test_a_fork_goes_its_own_way() -> None:
    pairing = Pairing()
    pairing.request("c2a", ASK, 3)
    fork = pairing.fork()
    fork.answer("a2c", Response(id=1, result={}))

    assert list(pairing.open("c2a")) == [1]
    assert list(fork.open("c2a")) == []
