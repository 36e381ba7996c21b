"""PrestaShop's published interface with our packed module."""

import json
import shutil
from pathlib import Path
from typing import Any, Self

import httpx

from hundi.sdk import Credentials
from tests.shops.programs import MariaDB, PhpServer, ran, unpacked
from tests.system.waiting import until

ENGINE = Path(__file__).with_name("prestashop")
"""Written from PrestaShop's documentation; none of its code."""
TABLES = (ENGINE / "tables.sql").read_text().splitlines()
ASK = """
$db = mysqli_connect('localhost', 'root', '', 'presta', 0, getenv('SOCKET'));
echo json_encode($db->query(getenv('SQL'))->fetch_all(MYSQLI_ASSOC));
"""


class PrestaShop:
    """One shop, with its customers' and its staff's side."""

    def __init__(self, folder: Path, database: MariaDB) -> None:
        """Install the module as the module manager does."""
        self.root = folder / "site"
        self.socket = str(database.socket)
        shutil.copytree(ENGINE, self.root)
        unpacked("prestashop", self.root / "modules")
        database.create("presta", *TABLES)
        self.server = PhpServer(self.root, folder / "php.log", SOCKET=self.socket)
        self.http = httpx.Client(base_url=self.server.url, trust_env=False, timeout=60)
        assert self.staff("install") == "true"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()
        self.server.close()

    def page(self, controller: str) -> str:
        """Return an address of our module."""
        return f"{self.server.url}/index.php?fc=module&module=hundi&controller={controller}"

    def staff(self, page: str, order_id: int = 0, **typed: str) -> str:
        """Do something on the staff's side, and return what it shows."""
        named = {"staff": page, "order": order_id}
        return self.http.post("/index.php", params=named, data=typed).raise_for_status().text

    def connect(self, own: Credentials, gateway_url: str) -> None:
        """Type the settings in, as the shop's owner does."""
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
            "prefix": "PS",
        }
        fields = {f"HUNDI_{name.upper()}": value for name, value in typed.items()}
        assert "The settings are saved." in self.staff("page", hundiSave="1", **fields)

    def asked(self, sql: str) -> list[dict[str, Any]]:
        """Return what the shop's database says."""
        return json.loads(ran(ASK, self.root, {"SOCKET": self.socket, "SQL": sql}))

    def orders(self, cart_id: int) -> list[dict[str, Any]]:
        """Return the orders of a cart."""
        return self.asked(f"SELECT * FROM ps_order WHERE id_cart = {cart_id} ORDER BY id")

    def becomes(self, cart_id: int, state: str) -> None:
        """Wait until all orders of a cart have a state."""

        def are() -> bool:
            return {each["current_state"] for each in self.orders(cart_id)} == {state}

        until(are, f"cart {cart_id} to become {state}")
