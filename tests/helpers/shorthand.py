"""The shorthand of `acpsim.wire.shorthand`, by the name under which the tests know it."""

from acpsim.wire.shorthand import conversation

__all__ = ["conversation"]
