"""A headless Chromium, driven over a pipe by the protocol of its developer tools; the standard library alone."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--disable-dev-shm-usage", "--hide-scrollbars", "--force-device-scale-factor=1", "--remote-debugging-pipe",
]
PATIENCE_S = 30


class Browser:
    """One page. Everything that it says on its console, and every address that it asks for, is kept."""

    def __init__(self, program, width=1100, height=900):
        self.problems = []
        self.requests = []
        self._profile = tempfile.mkdtemp(prefix="sluice-browser-")
        commands_out, self._commands = os.pipe()
        self._answers, answers_in = os.pipe()

        def hand_over():  # the browser reads from 3 and writes to 4
            read, write = os.dup(commands_out), os.dup(answers_in)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self._process = subprocess.Popen(
            [program, *FLAGS, f"--window-size={width},{height}", f"--user-data-dir={self._profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False,
            preexec_fn=hand_over, start_new_session=True)
        os.close(commands_out)
        os.close(answers_in)
        self._read = b""
        self._last = 0
        self._events = []
        self._session = None
        page = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._session = None
            self.call("Browser.close")
        except (OSError, RuntimeError):
            pass
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._commands)
        os.close(self._answers)
        shutil.rmtree(self._profile, ignore_errors=True)

    def _next(self, until):
        while b"\0" not in self._read:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._answers], [], [], left)[0]:
                raise RuntimeError("the browser does not answer")
            chunk = os.read(self._answers, 1 << 20)
            if not chunk:
                raise RuntimeError("the browser has ended")
            self._read += chunk
        message, self._read = self._read.split(b"\0", 1)
        message = json.loads(message)
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.problems.append(str(parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.problems.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        if method:
            self._events.append(method)
        return message

    def call(self, method, **parameters):
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE_S
        while True:
            answer = self._next(until)
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, path):
        self._events.clear()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        until = time.monotonic() + PATIENCE_S
        while "Page.loadEventFired" not in self._events:
            self._next(until)
        self.frames()

    def run(self, script):
        """The value of an expression in the page; a promise's when it is there."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"]["description"])
        return result["result"].get("value")

    def frames(self):
        """Waits until everything asked for has been drawn."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")

    def key(self, key, code=0):
        # A key that writes has a text.
        text = {"text": key} if len(key) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **(text if kind == "keyDown" else {}))
        self.frames()

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)
        self.frames()

    def media(self, medium="", scheme="light"):
        self.call("Emulation.setEmulatedMedia", media=medium, features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.frames()

    def picture(self, selector=None, whole=False, scale=1):
        """A PNG of an element, of the whole page, or of what is seen."""
        more = {}
        if selector:
            more["clip"] = {**self.box(selector), "scale": scale}
            more["captureBeyondViewport"] = True
        elif whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            more["clip"] = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
            more["captureBeyondViewport"] = True
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", **more)["data"])

    def box(self, selector):
        return self.run(
            f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
            " return {x: b.x + scrollX, y: b.y + scrollY, width: b.width, height: b.height}; })()")

    def paper(self):
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True, paperWidth=8.27, paperHeight=11.69)["data"])
