"""How quick the page is: `python -m benchmarks.explore MODEL`, with chromium and playwright.

Prints one JSON object: milliseconds of questions to the server (medians of 9), of processor time
for them, which other work on the machine does not change, and of the first paint; frames a second
while the map of all words is zoomed and moved in software rendering.
"""

import json
import shutil
import sys
import threading
import time
from pathlib import Path
from statistics import median

import uvicorn
from playwright.sync_api import sync_playwright
from starlette.testclient import TestClient

from wordrbm.cli.explore import open_session
from wordrbm.explore.server import build_app, listen

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
QUESTIONS = {
    "neighbours": {"word": "monday"},
    "fill": {"text": "the prime ___ said on"},
    "score": {"text": "the prime minister said on monday that the government will not"},
}
FRAMES = """async (move) => {
  const start = performance.now(), first = wordMap.frames;
  while (performance.now() - start < 3000) {
    const forth = Math.sin(performance.now() / 300) > 0;
    if (move) { wordMap.x += forth ? 4 : -4; wordMap.draw(); }
    else wordMap.zoomAt(400, 300, forth ? 1.03 : 1 / 1.03);
    await new Promise(requestAnimationFrame);
  }
  return (wordMap.frames - first) / (performance.now() - start) * 1000;
}"""
PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"


def time_questions(app):
    """Median milliseconds of each question."""
    client, answer = TestClient(app, base_url="http://127.0.0.1"), {}
    for name, body in QUESTIONS.items():
        times, processor = [], []
        for _ in range(10):
            started, used = time.perf_counter(), time.process_time()
            assert client.post(f"/api/{name}", json=body).status_code == 200
            times.append(1000 * (time.perf_counter() - started))
            processor.append(1000 * (time.process_time() - used))
        answer[f"{name}_ms"] = round(median(times[1:]), 1)
        answer[f"{name}_processor_ms"] = round(median(processor[1:]), 1)
    return answer


def time_page(app):
    """First paint in milliseconds, and frames a second."""
    socket = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    threading.Thread(target=server.run, args=([socket],), daemon=True).start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.goto(f"http://127.0.0.1:{socket.getsockname()[1]}/")
        page.wait_for_selector("canvas")
        answer = {
            "first_paint_ms": page.evaluate(PAINT),
            "map_ms": page.evaluate("performance.now()"),
            "zoom_frames_per_second": page.evaluate(FRAMES, False),
            "pan_frames_per_second": page.evaluate(FRAMES, True),
        }
        browser.close()
    server.should_exit = True
    return {name: round(value, 1) for name, value in answer.items()}


if __name__ == "__main__":
    session = open_session(Path(sys.argv[1]), quiet=True)
    app = build_app(session)
    result = {"words": session.points, **time_questions(app), **time_page(app)}
    print(json.dumps(result))
