# A shop in Python, with the standard library only. One prompt for an order, goods once, whatever gets lost.
import hashlib, hmac, html, http.client, json, os, re, signal, sqlite3, sys, threading, time, urllib.error, urllib.parse, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PRICES = {"Coffee": 450, "Beans": 1800}
GIVE_UP_S = 600
# What a call without a result raises: a response that breaks off is no OSError.
NO_RESULT = (OSError, ValueError, http.client.HTTPException)


def settings():
    # A sandbox of a test network says them itself. Elsewhere, they are in the environment.
    if "SANDBOX_URL" not in os.environ:
        return [os.environ[f"MALIPO_{name}"] for name in ("BASE_URL", "API_KEY", "WEBHOOK_SECRET")]
    url = os.environ["SANDBOX_URL"]
    with urllib.request.urlopen(f"{url}/_sandbox/api/status", timeout=5) as response:
        status = json.load(response)["data"]
    return f"{url}/api/v1", status["keys"]["sandbox"], status["webhook_secret"]


BASE_URL, KEY, SECRET = settings()
DATA = os.environ.get("SHOP_DATA", ".")
os.makedirs(DATA, exist_ok=True)


def run(sql, *values):
    with sqlite3.connect(f"{DATA}/shop.db", timeout=10) as database:
        cursor = database.execute(sql, values)
        return cursor.rowcount if sql.startswith(("UPDATE", "INSERT")) else cursor.fetchall()


run("""CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, item TEXT, amount INT, at REAL,
    status TEXT DEFAULT 'pending', reference TEXT, shipped INT DEFAULT 0)""")


def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"X-API-Key": KEY, "Content-Type": "application/json"}
    request = urllib.request.Request(BASE_URL + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=15) as response:
        return json.load(response)["data"]


def end(order, status):
    # Paid stays paid, and ships once: one statement. A late success after a failure is a success.
    run("UPDATE orders SET status = ?, shipped = shipped + ? WHERE id = ? AND status NOT IN ('paid', ?)",
        status, int(status == "paid"), order, status)


def note(order, amount, payment):
    # Another amount or currency is not this order's money.
    is_for = float(payment["amount"]) == amount and payment["currency"] == "KES"
    if payment["status"] == "completed" and is_for:
        end(order, "paid")
    elif payment["status"] == "failed":
        end(order, "failed")


def ask(order, item, phone):
    # Written before the request leaves: after a crash, nobody knows whether it did. A second click writes nothing.
    if run("INSERT OR IGNORE INTO orders (id, item, amount, at) VALUES (?, ?, ?, ?)", order, item, PRICES[item], time.time()) == 0:
        return
    try:
        body = {"phone": phone, "amount": PRICES[item], "account_reference": order}
        reference = call("POST", "/mobile-money/payment/initiate", body)["reference"]
        run("UPDATE orders SET reference = ? WHERE id = ?", reference, order)
    except urllib.error.HTTPError as error:
        if error.code < 500:
            end(order, "failed")
    except NO_RESULT:
        pass  # It may have happened: look() finds out.


def look_at(order, amount, at, reference):
    if reference is None:
        found = [one["reference"] for one in call("GET", "/payments?per_page=100") if one["account_reference"] == order]
        reference = found[0] if found else None
    if reference is not None:
        note(order, amount, call("GET", f"/payments/{reference}"))
    elif time.time() - at > GIVE_UP_S:
        end(order, "failed")


def look():
    while True:
        time.sleep(2)
        for order in run("SELECT id, amount, at, reference FROM orders WHERE status = 'pending'"):
            try:
                look_at(*order)
            except (*NO_RESULT, sqlite3.OperationalError):
                pass  # The next round asks again.


SAYS = {"pending": "Look at your phone.", "failed": "It was not paid.", "paid": "Your parcel is on its way."}
FORM = """<form method="post" action="/orders"><input name="order" type="hidden" value="{}">
<input name="item" value="Coffee"><input name="phone" placeholder="0712 345 678"><button>Pay</button></form>"""


class Shop(BaseHTTPRequestHandler):
    def reply(self, status, content="", headers=()):
        body = content.encode()
        self.send_response(status)
        for name, value in (("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(body))), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/":
            return self.reply(200, FORM.format(os.urandom(6).hex().upper()))
        found = run("SELECT id, item, status FROM orders WHERE id = ?", self.path.removeprefix("/orders/"))
        if not found:
            return self.reply(404)
        order, item, status = found[0]
        self.reply(200, f"<p>{html.escape(item)}, order {order}: {SAYS[status]}</p>")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.path == "/webhooks":
            return self.reply(self.receive(body))
        form = dict(urllib.parse.parse_qsl(body.decode()))
        order, item = form.get("order", ""), form.get("item")
        if not re.fullmatch("[0-9A-F]{12}", order) or item not in PRICES:
            return self.reply(400)
        ask(order, item, form.get("phone", ""))
        self.reply(303, headers=[("Location", f"/orders/{order}")])

    def receive(self, body):
        expected = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest().encode()
        if not hmac.compare_digest(expected, self.headers.get("X-Service-Signature", "").encode()):
            return 401
        event = json.loads(body)
        payment = event["data"]
        known = run("SELECT id, amount FROM orders WHERE reference = ? OR id = ?", payment.get("reference"), payment.get("account_reference"))
        # What contradicts itself says nothing: a read tells what is true.
        if known and event["event"] == f"payment.{payment.get('status')}":
            note(*known[0], payment)
        return 200


signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
threading.Thread(target=look, daemon=True).start()
ThreadingHTTPServer(("", int(os.environ.get("PORT", "3000"))), Shop).serve_forever()
