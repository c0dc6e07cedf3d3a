"""Cells of the requests that open a session: tool servers and a system prompt."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import UNSET, UnsetType, field

from acpsim.wire.cells import Cell, ContentBlock, Meta_, Uri
from acpsim.wire.marks import ALL_OR_NOTHING, COSTS_ALL


class EnvVariable(Cell, frozen=True, kw_only=True):
    name: str
    value: str
    meta: Meta_ = field(name="_meta", default=UNSET)


class HttpHeader(Cell, frozen=True, kw_only=True):
    name: str
    value: str
    meta: Meta_ = field(name="_meta", default=UNSET)


class McpServer(Cell, frozen=True, kw_only=True, tag_field="type"):
    """Base of the servers that a client asks an agent to use."""


class HttpServer(McpServer, frozen=True, kw_only=True, tag="http"):
    name: str
    url: Uri
    headers: Annotated[list[HttpHeader], ALL_OR_NOTHING, COSTS_ALL] | None | UnsetType = UNSET
    meta: Meta_ = field(name="_meta", default=UNSET)


class AcpServer(McpServer, frozen=True, kw_only=True, tag="acp"):
    name: str
    server_id: str
    meta: Meta_ = field(name="_meta", default=UNSET)


class StdioServer(McpServer, frozen=True, kw_only=True, tag="stdio"):
    name: str
    command: str
    args: Annotated[list[str], ALL_OR_NOTHING, COSTS_ALL] | None | UnsetType = UNSET
    env: Annotated[list[EnvVariable], ALL_OR_NOTHING, COSTS_ALL] | None | UnsetType = UNSET
    meta: Meta_ = field(name="_meta", default=UNSET)


AnyServer: TypeAlias = HttpServer | AcpServer | StdioServer


class SystemPrompt(Cell, frozen=True, kw_only=True):
    mode: str
    content: Annotated[list[ContentBlock], ALL_OR_NOTHING]
    meta: Meta_ = field(name="_meta", default=UNSET)
