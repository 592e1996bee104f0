"""Codes of problems (`codes.AMOUNT_EXCEEDS_REFUNDABLE`), and topics of events."""

from .generated.codes import *  # noqa: F401,F403
from .generated.codes import CODES, KnownCode, Topic  # noqa: F401
