"""A service agent of one's own behind HTTP: the smallest server that speaks OpenAI's chat format.

Start it with `python examples/http_agent.py`, and name its address as `api_base` (`your-own-endpoint.yaml`). It gets
the conversation so far as chat messages and answers with plain text; offers are read from its words. A real service
ignores the briefing at the beginning, or makes use of it.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PORT = 8099


def write_reply(messages: list[dict[str, str]]) -> str:
    """What the agent says to the customer's last message."""
    turns = sum(message["role"] == "assistant" for message in messages)
    if turns == 0:
        return "I am sorry for what happened. Can you tell me what went wrong, and when?"
    if turns == 1:
        return "Thank you, that helps. I have added a $25 credit to your account for the trouble."
    return "The credit is on your account. I confirm it to you in writing by tomorrow."


class Handler(BaseHTTPRequestHandler):
    """Answers chat completions."""

    def do_POST(self) -> None:
        """Answer one request."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send(complete(write_reply(body["messages"])))

    def send(self, content: dict[str, Any]) -> None:
        """Send a reply as JSON."""
        data = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the name that http.server gives)
        """Keep quiet: what customers write stays out of logs."""


def complete(text: str) -> dict[str, Any]:
    """A chat completion."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    return {"id": "1", "object": "chat.completion", "created": 0, "model": "my-agent", "choices": [choice]}


def make_server(port: int = PORT) -> ThreadingHTTPServer:
    """The server, on loopback; port 0 takes any that is free."""
    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


if __name__ == "__main__":
    with make_server(int(sys.argv[1]) if len(sys.argv) > 1 else PORT) as server:
        server.serve_forever()
