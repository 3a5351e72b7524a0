"""An API that takes leads: its settings, and a captcha provider that accepts every token."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOST = "site.example"
SITE = {
    "version": 1, "base_url": f"https://{HOST}", "locales": [{"code": "en", "errors": {}, "form": None, "thanks": "/thanks/"}],
    "rules": {"refuse_without_script": False, "refuse_unverified": False, "keep_days": None},
}
LEAD = {"name": "Ana", "email": "ana@example.com", "company": "", "phone": "", "projectType": "SEO", "message": "A few words\nabout it"}


class Provider(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # A killed API leaves its connections open.


class Captcha(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body leave together: TCP would delay the second of two small packets.
    wbufsize = -1

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        answer = json.dumps({"success": True, "hostname": HOST}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


@contextmanager
def settings(folder):
    """The environment of an API that stores leads in this folder, while a captcha provider answers."""
    (folder / "leads.json").write_text(json.dumps(SITE))
    server = Provider(("127.0.0.1", 0), Captcha)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield {
            "LEADS_STORE": str(folder / "leads.sqlite3"), "LEADS_SITE": str(folder / "leads.json"), "CAPTCHA_SECRET": "test",
            "CAPTCHA_VERIFY_URL": f"http://127.0.0.1:{server.server_port}/", "LEADS_PER_MINUTE": "0", "LEADS_PER_MINUTE_TOTAL": "0",
        }
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def lead(number):
    """The body of a lead, as the form sends it."""
    return {**LEAD, "name": f"lead {number}", "recaptchaToken": f"token {number}"}
