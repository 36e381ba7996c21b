"""OpenCart's published interface with our packed extension."""

import base64
import json
import shutil
from pathlib import Path
from typing import Any, Self

import httpx

from hundi.sdk import Credentials
from tests.shops.programs import MariaDB, PhpServer, ran, unpacked
from tests.system.waiting import until

ENGINE = Path(__file__).with_name("opencart")
"""Written from OpenCart's documentation; none of its code."""
TABLES = (ENGINE / "tables.sql").read_text().splitlines()
PLACE = """INSERT INTO oc_order (total, currency_code, currency_value, email, telephone, firstname,
lastname, payment_address_1, payment_address_2, payment_city, payment_postcode, payment_country,
payment_zone) VALUES (1499.5, 'INR', 1, 'asha@example.in', '+91 98765-43210', 'Asha', 'O''Brien',
'1 Ring Road', '', 'Pune', '411001', 'India', 'Maharashtra')"""
ASK = """
$db = mysqli_connect('localhost', 'root', '', 'shop', 0, getenv('SOCKET'));
$found = $db->query(getenv('SQL'));
echo json_encode($found === true ? $db->insert_id : $found->fetch_all(MYSQLI_ASSOC));
"""
ROUTE = "extension/hundi/payment/hundi"


class OpenCart:
    """One shop, with its customers' and its staff's side."""

    def __init__(self, folder: Path, database: MariaDB) -> None:
        """Install the extension as the installer does."""
        self.root = folder / "site"
        self.socket = str(database.socket)
        shutil.copytree(ENGINE, self.root)
        shutil.copy(self.root / "index.php", self.root / "admin.php")
        (self.root / "extension" / "hundi").mkdir(parents=True)
        unpacked("opencart", self.root / "extension" / "hundi")
        database.create("shop", *TABLES)
        self.server = PhpServer(self.root, folder / "php.log", SOCKET=self.socket)
        self.http = httpx.Client(base_url=self.server.url, trust_env=False, timeout=60)
        self.staff("install")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()
        self.server.close()

    def page(self, method: str) -> str:
        """Return an address of our extension."""
        return f"{self.server.url}/index.php?route={ROUTE}.{method}"

    def staff(self, method: str, query: str = "", **typed: str) -> str:
        """Do something on the staff's side, and return what it shows."""
        address = f"/admin.php?route={ROUTE}.{method}{query}"
        return self.http.post(address, data=typed).raise_for_status().text

    def connect(self, own: Credentials, gateway_url: str) -> None:
        """Type the settings in, as the shop's owner does."""
        self.own = own
        typed = {
            "status": "1",
            "gateway_url": gateway_url,
            "merchant_id": own.merchant_id,
            "username": own.username,
            "password": own.password,
            "api_secret": own.api_secret,
            "client_id": own.oauth_client_id,
            "client_secret": own.oauth_client_secret,
            "webhook_key": own.webhook_keys[0],
            "prefix": "OC",
        }
        fields = {f"payment_hundi_{name}": value for name, value in typed.items()}
        assert json.loads(self.staff("save", **fields)) == {"success": "The settings are saved."}

    def asked(self, sql: str) -> Any:
        """Return what the shop's database says."""
        return json.loads(ran(ASK, self.root, {"SOCKET": self.socket, "SQL": sql}))

    def placed(self) -> int:
        """Place an order, as the checkout does before its last step."""
        return self.asked(PLACE)

    def session(self, order_id: int) -> dict[str, str]:
        """Return the cookie of the customer who placed an order."""
        held = {"order_id": order_id, "payment_method": {"code": "hundi.hundi"}}
        return {"cookie": "store=" + base64.b64encode(json.dumps(held).encode()).decode()}

    def status(self, order_id: int) -> int:
        """Return the status of an order."""
        (row,) = self.asked(f"SELECT order_status_id FROM oc_order WHERE order_id = {order_id}")
        return int(row["order_status_id"])

    def history(self, order_id: int) -> list[str]:
        """Return the lines of an order's history."""
        rows = self.asked(f"SELECT comment FROM oc_order_history WHERE order_id = {order_id}")
        return [row["comment"] for row in rows]

    def becomes(self, order_id: int, status: int) -> None:
        """Wait until an order has a status."""
        until(lambda: self.status(order_id) == status, f"{order_id} to become {status}")
