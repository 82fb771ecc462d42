"""Conversations against bare litellm calls (and inspect_ai's own loop where it is there), on a server of fixed delay.

Run by hand: `python benchmarks/simulation.py` (`--smoke` for 40 conversations of 2 exchanges at 20 ms). A server on
loopback in a process of its own answers every request after 200 ms, in the form that is asked for. 1,000 conversations
of 6 exchanges, each a call of the agent and one of the customer, 100 at once: the product holds them whole (gate,
patience, offers, checks of every customer message, every answer in a ledger), litellm makes as many bare calls, and
inspect_ai's loop lets two models answer each other as often and does nothing else. Each runs in a process of its own;
imports and a first call are not counted. Name a Python that has inspect_ai with `--peer-python PATH`.
"""

import argparse
import asyncio
import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RATIO = 1.2
LEAST = 0.99  # of the messages
OPENING = "My bag did not come out in Oslo and nobody answers me."
SYSTEM = "You answer complaints of customers. " * 30
CLIENTS = ("product", "litellm", "inspect_ai")


def main() -> int:
    """Run all and print the comparison, or run one as a child."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="40 conversations of 2 exchanges at 20 ms; no verdict")
    parser.add_argument("--conversations", type=int, default=1000)
    parser.add_argument("--exchanges", type=int, default=6)
    parser.add_argument("--places", type=int, default=100, help="conversations at once")
    parser.add_argument("--delay", type=float, default=0.2, help="seconds until the server answers")
    parser.add_argument("--peer-python", help="Python with inspect_ai")
    parser.add_argument("--child", choices=("serve", *CLIENTS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.smoke:
        options.conversations, options.exchanges, options.places, options.delay = 40, 2, 20, 0.02
    if options.child:
        return run_child(options)
    return compare(options)


def compare(options: argparse.Namespace) -> int:
    """Start the server and each client in turn."""
    size = [f"--{name}={getattr(options, name)}" for name in ("conversations", "exchanges", "places", "delay")]
    command = [sys.executable, __file__, "--child", "serve", *size]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            port = server.stdout.readline().strip() if server.stdout else ""
            results = run_clients(options, size, f"http://127.0.0.1:{port}/v1")
        finally:
            server.kill()
    calls = options.conversations * options.exchanges * 2
    ideal = calls / options.places * options.delay
    bound = RATIO * max(ideal, results["litellm"]["seconds"])
    print(f"{calls} calls; ideal {ideal:.1f} s; bound {bound:.1f} s = {RATIO} of the larger of it and bare litellm")
    print(f"{'':12s} {'seconds':>8s} {'of ideal':>8s} {'CPU ms a conversation':>22s} {'peak MB':>8s}")
    for name, row in results.items():
        of_ideal = "" if name == "replayed" else f"{row['seconds'] / ideal:.2f}"
        print(f"{name:12s} {row['seconds']:8.2f} {of_ideal:>8s} {row['cpu_ms']:22.1f} {row['peak_mb']:8.0f}")
    return judge(options, results, bound)


def judge(options: argparse.Namespace, results: dict[str, dict[str, float]], bound: float) -> int:
    """Say whether seconds keep to litellm's and processor time to the peer loop's; 1 where one is measured and not."""
    own, peer = results["product"], results.get("inspect_ai")
    kept = {
        "seconds": None if options.smoke else own["seconds"] <= bound,
        "processor time": None if options.smoke or peer is None else own["cpu_ms"] < peer["cpu_ms"],
    }
    why = "too short a run" if options.smoke else "name a Python that has inspect_ai with --peer-python"
    words = {True: "kept", False: "BROKEN", None: f"NOT MEASURED ({why})"}
    print("bounds: " + "; ".join(f"{name} {words[is_kept]}" for name, is_kept in kept.items()))
    return 1 if False in kept.values() else 0


def run_clients(options: argparse.Namespace, size: list[str], base: str) -> dict[str, dict[str, float]]:
    """Figures by client."""
    pythons = {"product": sys.executable, "litellm": sys.executable, "inspect_ai": options.peer_python}
    environment = {
        **os.environ, "OPENAI_API_BASE": base, "OPENAI_BASE_URL": base, "OPENAI_API_KEY": "none",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_OFFLINE_MODE": "true", "PYTHONPATH": str(ROOT),
        "INSPECT_DISPLAY": "none",
    }  # fmt: skip
    results: dict[str, dict[str, float]] = {}
    for name, python in pythons.items():
        if python is None:
            continue
        command = [python, __file__, "--child", name, *size]
        done = subprocess.run(command, check=True, env=environment, stdout=subprocess.PIPE, text=True)
        for line in done.stdout.splitlines():
            if line.startswith('{"name"'):
                row = json.loads(line)
                results[row.pop("name")] = row
    return results


def run_child(options: argparse.Namespace) -> int:
    """Serve, or be one of the clients."""
    if options.child == "serve":
        asyncio.run(serve(options.delay))
    elif options.child == "product":
        run_product(options)
    elif options.child == "litellm":
        asyncio.run(run_litellm(options))
    else:
        run_inspect(options)
    return 0


async def serve(delay: float) -> None:
    """Answer every request after a fixed time."""
    server = await asyncio.start_server(Answering(delay), "127.0.0.1", 0, limit=1 << 22, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


class Answering:
    """Handles connections of the server: a new message each time, in the form that the request asks for.

    Args:
        delay: Seconds until it answers.
    """

    def __init__(self, delay: float) -> None:
        self.delay = delay
        self.numbers = itertools.count()

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer what comes on one connection until it ends."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
                body = await reader.readexactly(int(length.split(b":")[1]))
                answer = self.write(body)
                await asyncio.sleep(self.delay)
                writer.write(answer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def write(self, asked: bytes) -> bytes:
        """A chat completion that answers a request."""
        words = ramble(next(self.numbers))
        if b'"CustomerAnswer"' in asked:
            # A customer whose patience is over must leave.
            decision = "leave" if b"decision is leave" in asked else "continue"
            content = json.dumps({"disclosed": [], "message": f"No, {words}.", "decision": decision})
        elif b'"response_format"' in asked:
            content = json.dumps(
                {"message": f"I am sorry that this upset you. I checked your record, and {words}.", "offers": []}
            )
        else:
            content = f"I am sorry that this upset you. I checked your record, and {words}."
        body = json.dumps({
            "id": "x", "object": "chat.completion", "created": 1, "model": "small",
            "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
            ],
            "usage": {"prompt_tokens": 900, "completion_tokens": 40, "total_tokens": 940},
        }).encode()  # fmt: skip
        return (
            f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
        )


def ramble(number: int) -> str:
    """Words that no other number has, about as many as people write."""
    letters = "".join("bdfgklmnpt"[int(digit)] + "aeiou"[int(digit) % 5] for digit in str(number))
    return " ".join(f"{letters}{tail}" for tail in ("ra", "no", "shi", "tem", "ul", "vo", "zen", "qua", "lor", "mit"))


def report(name: str, conversations: int, start: tuple[float, float]) -> None:
    """Print a client's figures."""
    seconds, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"name": name, "seconds": seconds, "cpu_ms": cpu / conversations * 1000, "peak_mb": peak}))


def now() -> tuple[float, float]:
    """Wall and processor time."""
    return time.perf_counter(), time.process_time()


def run_product(options: argparse.Namespace) -> None:
    """The product: whole conversations over a new ledger, then once more out of it."""
    from servicebench_data.models.doorway import open_doorway  # noqa: PLC0415
    from servicebench_data.models.options import ModelOptions  # noqa: PLC0415
    from servicebench_data.simulation.playing import hold_company  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/ledger.sqlite"
        model_options = ModelOptions(model="openai/small", concurrency=options.places)
        with open_doorway(model_options, url) as doorway:
            hold_company(make_company(1, options.exchanges, 1), doorway)
            for name in ("product", "replayed"):
                company = make_company(options.conversations, options.exchanges, 2026)
                start = now()
                tables = hold_company(company, doorway)
                report(name, options.conversations, start)
                check(options, tables)


def check(options: argparse.Namespace, tables: Any) -> None:
    """Raise where not as many calls were answered as the others make."""
    from schemas.simulation import MessageRow, SimulatorFault  # noqa: PLC0415

    messages, faults = tables[MessageRow].num_rows, tables[SimulatorFault].num_rows
    whole = options.conversations * (2 * options.exchanges + 1)
    # Some made-up words sound unkind, so that a customer or two leaves before the end.
    if not LEAST * whole <= messages <= whole or faults:
        raise SystemExit(f"{messages} messages and {faults} faults; the conversations did not go as planned")


def make_company(count: int, exchanges: int, seed: int) -> Any:
    """An experiment of so many conversations of one model with another."""
    from schemas.experiment import Experiment  # noqa: PLC0415
    from servicebench_data.simulation.agents.guidance import Adviser  # noqa: PLC0415
    from servicebench_data.simulation.casting import Company  # noqa: PLC0415
    from servicebench_data.simulation.experiment import LoadedExperiment  # noqa: PLC0415
    from servicebench_data.simulation.plan import plan_conversations  # noqa: PLC0415

    spec = Experiment.model_validate({
        "title": "Speed.", "agents": [{"name": "agent", "model": "openai/small"}], "styles": ["passive_warm"],
        "customers": [{"name": "customer", "model": "openai/small"}], "turn_cap": exchanges, "repeats": 1,
        "seed": seed,
    })  # fmt: skip
    loaded = LoadedExperiment("speed", spec, ROOT)
    parts = {entry.scenario.scenario_id: entry for entry in make_parts(count)}
    scenarios = [entry.scenario for entry in parts.values()]
    return Company(loaded, parts, plan_conversations(loaded, scenarios), Adviser((), scenarios), exchanges)


def make_parts(count: int) -> Iterator[Any]:
    """Made scenarios of four facts."""
    from schemas.scenarios import BackgroundSentence, CasePolicy, Expectation, Fact, Scenario  # noqa: PLC0415
    from servicebench_data.simulation.views import Parts  # noqa: PLC0415

    told = (
        ("opening", OPENING),
        ("when_asked", "I flew with flight [flight-1]."),
        ("when_asked", "I had to buy clothes for $64."),
        ("when_heard", "My medicine was in that bag."),
    )
    for number in range(count):
        shared = {"industry": "airline", "scenario_id": f"s{number:05}", "made_by": "offline", "is_inferred": False}
        facts = [
            Fact.model_validate({
                **shared, "fact_id": f"f{place}", "kind": "event", "statement": text, "value": None, "post_id": "1",
                "quote": text, "turn_index": place, "disclosure": disclosure, "is_customer_only": place > 1,
            })
            for place, (disclosure, text) in enumerate(told)
        ]  # fmt: skip
        sentences = [
            BackgroundSentence.model_validate({
                **shared, "sentence_index": place, "topic": "experience", "text": text, "fact_ids": [f"f{place}"],
                "disclosure": disclosure,
            })
            for place, (disclosure, text) in enumerate(told)
        ]  # fmt: skip
        wish = Expectation.model_validate({
            **shared, "explanation": None, "action": "a delivery of the bag", "apology": None, "insult": "a form",
            "compensation_min_usd": 0, "compensation_max_usd": 50, "is_loss_money": False, "post_ids": [],
        })  # fmt: skip
        policy = CasePolicy.model_validate({
            **{name: shared[name] for name in ("industry", "scenario_id", "made_by")}, "policy_id": "interim",
            "title": "Interim expenses", "text": "Essentials are reimbursed up to USD 100.",
            "entitlement_kind": "reimbursement", "entitlement_limit_usd": 100.0,
        })  # fmt: skip
        yield Parts(make_scenario(Scenario, number), tuple(facts), tuple(sentences), wish, (policy,))


def make_scenario(record: Any, number: int) -> Any:
    """A made scenario."""
    return record.model_validate({
        "industry": "airline", "scenario_id": f"s{number:05}", "made_by": "offline", "dialogue_id": f"d{number}",
        "account": "HelpAtBrightwing", "is_sample": True, "stage_id": "baggage", "category_id": "delayed_bag",
        "severity": "high", "opening": OPENING, "events": "1. The bag did not come out.", "background": OPENING,
        "expectation": "The bag.", "case_record": "Bags: 1\nStatus: on time", "goodwill_limit_usd": 200.0,
        "split": "evaluation", "cluster_id": f"k{number}", "inclusion_probability": 1.0, "content_sha256": "0" * 64,
        "map_version": 1, "rules_version": "1", "seed": 1, "cost_usd": None, "post_ids": ["1"], "edited_parts": [],
        "accepted_failures": [],
    })  # fmt: skip


async def run_litellm(options: argparse.Namespace) -> None:
    """As many bare calls, so many at once."""
    import litellm  # noqa: PLC0415

    await ask_litellm(litellm, 0)
    calls = options.conversations * options.exchanges * 2
    numbers = iter(range(calls))
    start = now()
    await asyncio.gather(*(work_off(litellm, numbers) for _ in range(options.places)))
    report("litellm", options.conversations, start)


async def work_off(litellm: Any, numbers: Iterator[int]) -> None:
    """Take calls until none is left."""
    for number in numbers:
        await ask_litellm(litellm, number)


async def ask_litellm(litellm: Any, number: int) -> str:
    """One bare call."""
    reply = await litellm.acompletion(
        model="openai/small",
        messages=[{"role": "system", "content": SYSTEM}, {"role": "user", "content": f"{OPENING} {number}"}],
        max_tokens=800,
        num_retries=0,
        max_retries=0,
        timeout=60,
    )
    return reply.choices[0].message.content


def run_inspect(options: argparse.Namespace) -> None:
    """inspect_ai's own loop: a solver in which two models answer each other, over as many samples."""
    from inspect_ai import Task, eval  # noqa: A004, PLC0415 # pyright: ignore[reportMissingImports]
    from inspect_ai.dataset import Sample  # noqa: PLC0415 # pyright: ignore[reportMissingImports]
    from inspect_ai.model import GenerateConfig, get_model  # noqa: PLC0415 # pyright: ignore[reportMissingImports]

    config = GenerateConfig(max_tokens=800, max_connections=options.places, max_retries=0)
    model = get_model("openai/small", config=config, responses_api=False)
    solver = make_solver(model, options.exchanges)
    with tempfile.TemporaryDirectory() as folder:
        settings = {"max_samples": options.places, "log_dir": folder, "display": "none", "model": model}
        eval(Task(dataset=[Sample(input=OPENING)], solver=solver), **settings)
        samples = [Sample(input=f"{OPENING} {number}") for number in range(options.conversations)]
        start = now()
        (log,) = eval(Task(dataset=samples, solver=solver), **settings)
        if log.status != "success":
            raise SystemExit(f"the peer's loop ended with {log.status}")
        report("inspect_ai", options.conversations, start)


def make_solver(model: Any, exchanges: int) -> Any:
    """A solver of inspect_ai in which an agent and a customer take turns."""
    from inspect_ai.model import ChatMessageUser  # noqa: PLC0415 # pyright: ignore[reportMissingImports]
    from inspect_ai.solver import solver  # noqa: PLC0415 # pyright: ignore[reportMissingImports]

    @solver
    def take_turns() -> Any:
        return TakeTurns(model, exchanges, ChatMessageUser)

    return take_turns()


class TakeTurns:
    """Lets the model answer as the agent and as the customer in turn."""

    def __init__(self, model: Any, exchanges: int, user: Any) -> None:
        self.model = model
        self.exchanges = exchanges
        self.user = user

    async def __call__(self, state: Any, generate: Any) -> Any:
        """One conversation."""
        for _ in range(self.exchanges):
            state = await generate(state)
            said = await self.model.generate([self.user(content=f"{SYSTEM}\n{state.output.completion}")])
            state.messages.append(self.user(content=said.completion))
        return state


if __name__ == "__main__":
    sys.exit(main())
