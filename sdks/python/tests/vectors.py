"""The vectors that every language passes."""

import base64
import json
import unittest
from pathlib import Path
from typing import Any, Dict, List

ROOT = Path(__file__).resolve().parents[3]


def read(file: str) -> Dict[str, Any]:
    found: Dict[str, Any] = json.loads((ROOT / file).read_text("utf-8"))
    return found


CLIENT = read("sdks/vectors/client.generated.json")
DELIVERIES: List[Dict[str, Any]] = read("sdks/vectors/deliveries.generated.json")["vectors"]
SIGNATURES: List[Dict[str, Any]] = read("packages/testing/src/vectors/webhook-signatures.json")["vectors"]


def body_of(body: Any) -> bytes:
    if isinstance(body, str):
        return body.encode()
    if "base64" in body:
        return base64.b64decode(body["base64"])
    return str(body["before"] + body["repeat"] * body["times"] + body["after"]).encode()


class VectorCase(unittest.TestCase):
    """Compares every vector, and names the ones that differ."""

    maxDiff = None
