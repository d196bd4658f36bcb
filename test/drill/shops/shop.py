# A right shop in Python, with the standard library only: python3 shop.py
import hashlib, hmac, http.client, json, os, sqlite3, threading, time, urllib.error, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DATA, SECRET = os.environ["DATA"], os.environ["MALIPO_WEBHOOK_SECRET"].encode()
BASE_URL, KEY = os.environ["MALIPO_BASE_URL"], os.environ["MALIPO_API_KEY"]
GIVE_UP_S = 8
# What a call without a result raises: a response that breaks off is no OSError.
NO_RESULT = (OSError, ValueError, http.client.HTTPException)


def run(sql, *values):
    with sqlite3.connect(f"{DATA}/shop.db", timeout=10) as database:
        cursor = database.execute(sql, values)
        return cursor.rowcount if sql.startswith(("UPDATE", "INSERT")) else cursor.fetchall()


run("""CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, phone TEXT, amount INT, at REAL,
    status TEXT DEFAULT 'pending', reference TEXT, former TEXT DEFAULT '', shipped INT DEFAULT 0, asked INT DEFAULT 0)""")


def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"X-API-Key": KEY, "Content-Type": "application/json"}
    request = urllib.request.Request(BASE_URL + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=2) as response:
        return json.load(response)["data"]


def end(order, status, at):
    # Paid stays paid, and ships once: one statement. A late success after a failure is a success. The failure of
    # an attempt, which began at this time, says nothing of the next one.
    run("UPDATE orders SET status = ?, shipped = shipped + ? WHERE id = ? AND status NOT IN ('paid', ?) AND (? = 'paid' OR at = ?)",
        status, int(status == "paid"), order, status, status, at)


def ask(order, phone, amount, at):
    # Written before the request leaves: after a crash, nobody knows whether it did.
    if run("UPDATE orders SET asked = 1 WHERE id = ? AND asked = 0", order) == 0:
        return
    try:
        body = {"phone": phone, "amount": amount, "account_reference": order}
        reference = call("POST", "/mobile-money/payment/initiate", body)["reference"]
        run("UPDATE orders SET reference = ? WHERE id = ? AND at = ?", reference, order, at)
    except urllib.error.HTTPError as error:
        if error.code < 500:
            end(order, "failed", at)
    except NO_RESULT:
        pass  # It may have happened: look() finds out.


def is_for(amount, payment):
    # Another amount or currency is not this order's money.
    return float(payment["amount"]) == amount and payment["currency"] == "KES"


def look_at(order, reference, at, amount, former):
    if reference is None:
        found = [one for one in call("GET", "/payments?per_page=100")
                 if one["account_reference"] == order and one["reference"] not in former]
        reference = found[0]["reference"] if found else None
        # The next attempt has another one: what comes of this one says nothing of that.
        run("UPDATE orders SET reference = ? WHERE id = ? AND at = ? AND reference IS NULL", reference, order, at)
    if reference is not None:
        payment = call("GET", f"/payments/{reference}")
        if payment["status"] == "completed" and is_for(amount, payment):
            end(order, "paid", at)
        elif payment["status"] == "failed":
            end(order, "failed", at)
    elif time.time() - at > GIVE_UP_S:
        end(order, "failed", at)


def look():
    while True:
        time.sleep(0.5)
        try:
            orders = run("SELECT id, reference, at, amount, former FROM orders WHERE status = 'pending'")
        except sqlite3.OperationalError:
            continue  # The other process holds the database.
        for order in orders:
            try:
                look_at(*order)
            except (*NO_RESULT, sqlite3.OperationalError):
                pass  # One order that cannot be read holds no other one up: the next round asks again.


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def reply(self, status, body=None):
        content = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self):
        found = run("SELECT id, status, shipped FROM orders WHERE id = ?", self.path.split("/")[-1])
        self.reply(200, dict(zip(("id", "status", "shipped"), found[0]))) if found else self.reply(404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/webhooks":
            return self.reply(self.receive(body))
        if self.path.endswith("/again"):
            return self.again(self.path.split("/")[2])
        order, at = json.loads(body), time.time()
        run("INSERT OR IGNORE INTO orders (id, phone, amount, at) VALUES (?, ?, ?, ?)",
            order["order"], order["phone"], order["amount"], at)
        ask(order["order"], order["phone"], order["amount"], at)
        self.reply(201, {"id": order["order"]})

    def again(self, order):
        changed = run("UPDATE orders SET status = 'pending', asked = 0, at = ?, former = former || coalesce(reference, ''), reference = NULL"
                      " WHERE id = ? AND status = 'failed'", time.time(), order)
        if changed == 1:
            ask(order, *run("SELECT phone, amount, at FROM orders WHERE id = ?", order)[0])
        self.reply(200)

    def receive(self, body):
        expected = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(expected, self.headers.get("X-Service-Signature", "")):
            return 401
        event = json.loads(body)
        data = event["data"]
        known = run("SELECT id, amount, at, former FROM orders WHERE reference = ? OR id = ?", data.get("reference"), data.get("account_reference"))
        # What contradicts itself says nothing: a read tells what is true.
        kind = event["event"] if event["event"] == f"payment.{data.get('status')}" else None
        if known and kind == "payment.completed" and is_for(known[0][1], data):
            end(known[0][0], "paid", known[0][2])
        if known and kind == "payment.failed" and data["reference"] not in known[0][3]:
            end(known[0][0], "failed", known[0][2])
        return 200


threading.Thread(target=look, daemon=True).start()
ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
