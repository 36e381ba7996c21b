"""Magento's published interface with our packed module."""

import base64
import json
import shutil
from pathlib import Path
from typing import Any, Self

import httpx

from hundi.sdk import Credentials
from tests.shops.programs import MariaDB, PhpServer, ran, unpacked
from tests.system.waiting import until

ENGINE = Path(__file__).with_name("magento")
"""Written from Magento's documentation; none of its code."""
TABLES = (ENGINE / "tables.sql").read_text().splitlines()
PLACE = """INSERT INTO sale SET state = 'pending_payment', total = '1499.5000', paid = '0',
comments = '', customeremail = 'asha@example.in', telephone = '9876543210', firstname = 'Asha',
lastname = 'Rao', city = 'Pune', region = 'Maharashtra', countryid = 'IN', postcode = '411001',
ordercurrencycode = 'INR'"""
ASK = """
$db = mysqli_connect('localhost', 'root', '', 'magento', 0, getenv('SOCKET'));
$found = $db->query(getenv('SQL'));
echo json_encode($found === true ? $db->insert_id : $found->fetch_all(MYSQLI_ASSOC));
"""
SECRETS = {"password", "api_secret", "client_secret", "webhook_key"}


class Magento:
    """One shop, with its customers' and its staff's side."""

    def __init__(self, folder: Path, database: MariaDB) -> None:
        """Install the module as `setup:upgrade` does."""
        self.root = folder / "site"
        self.socket = str(database.socket)
        shutil.copytree(ENGINE, self.root)
        module = self.root / "app" / "code" / "Hundi" / "Payments"
        module.mkdir(parents=True)
        unpacked("magento", module)
        database.create("magento", *TABLES)
        self.server = PhpServer(self.root, folder / "php.log", SOCKET=self.socket)
        self.http = httpx.Client(base_url=self.server.url, trust_env=False, timeout=60)
        assert self.staff("install") == "module Hundi_Payments"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()
        self.server.close()

    def page(self, action: str) -> str:
        """Return an address of our module."""
        return f"{self.server.url}/hundi/payment/{action}"

    def staff(self, do: str, order_id: int = 0, **typed: str) -> str:
        """Do something on the staff's side, and return what it says."""
        address = f"/staff/{do}?id={order_id}"
        return self.http.post(address, data=typed).raise_for_status().text

    def connect(self, own: Credentials, gateway_url: str) -> None:
        """Save the settings, as Magento does: secrets encrypted."""
        self.own = own
        typed = {
            "gateway_url": gateway_url,
            "merchant_id": own.merchant_id,
            "username": own.username,
            "password": own.password,
            "api_secret": own.api_secret,
            "client_id": own.oauth_client_id,
            "client_secret": own.oauth_client_secret,
            "webhook_key": own.webhook_keys[0],
            "prefix": "M2",
        }
        for name, value in typed.items():
            kept = base64.b64encode(value.encode()).decode() if name in SECRETS else value
            path = f"payment/hundi/{name}"
            self.asked(f"INSERT INTO m2_core_config_data SET path = '{path}', value = '{kept}'")

    def asked(self, sql: str) -> Any:
        """Return what the shop's database says."""
        return json.loads(ran(ASK, self.root, {"SOCKET": self.socket, "SQL": sql}))

    def placed(self) -> int:
        """Place an order, as the checkout does before it calls our script."""
        return self.asked(PLACE)

    def sale(self, order_id: int) -> dict[str, Any]:
        """Return an order as the shop has it."""
        return self.asked(f"SELECT * FROM sale WHERE id = {order_id}")[0]

    def becomes(self, order_id: int, state: str) -> dict[str, Any]:
        """Wait until an order has a state."""

        def see() -> dict[str, Any] | None:
            found = self.sale(order_id)
            return found if found["state"] == state else None

        return until(see, f"order {order_id} to become {state}")
