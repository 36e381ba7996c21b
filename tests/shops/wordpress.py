"""A real WordPress with our packed plugin, and WooCommerce's published interface beside it."""

import re
import shutil
from pathlib import Path
from typing import Any, Self

import httpx

from hundi.sdk import Credentials
from tests.shops.programs import WORDPRESS, MariaDB, PhpServer, ran, unpacked
from tests.system.waiting import until

STORE = Path(__file__).with_name("woocommerce")
"""Written from WooCommerce's documentation; none of its code."""
BILLING = {
    "billing_first_name": "Asha",
    "billing_last_name": "O'Brien",
    "billing_email": "asha@example.in",
    "billing_phone": "+91 98765-43210",
}
STAFF = {"log": "staff", "pwd": "long-password-31"}
CONFIG = """<?php
define('DB_NAME', 'wordpress');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:{socket}');
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
define('WP_SITEURL', '{url}');
define('WP_HOME', '{url}');
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
define('AUTH_KEY', 'one');
define('SECURE_AUTH_KEY', 'two');
define('LOGGED_IN_KEY', 'three');
define('NONCE_KEY', 'four');
$table_prefix = 'wp_';
require_once ABSPATH . 'wp-settings.php';
"""
INSTALL = """
define('WP_INSTALLING', true);
require 'wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('Chai House', 'staff', 'staff@example.in', true, '', getenv('PASSWORD'));
"""
ACTIVATE = """
require 'wp-load.php';
require ABSPATH . 'wp-admin/includes/plugin.php';
foreach (['woocommerce/woocommerce.php', 'hundi-payments/hundi-payments.php'] as $plugin) {
    $problem = activate_plugin($plugin);
    is_wp_error($problem) && exit($problem->get_error_message());
}
"""
UNINSTALL = """
require 'wp-load.php';
require ABSPATH . 'wp-admin/includes/plugin.php';
deactivate_plugins('hundi-payments/hundi-payments.php');
uninstall_plugin('hundi-payments/hundi-payments.php');
global $wpdb;
echo json_encode([get_option('woocommerce_hundi_settings'),
    $wpdb->get_col("SHOW TABLES LIKE 'wp_hundi%'"), wp_next_scheduled('hundi_ask_open')]);
"""


class WordPress:
    """One WordPress from its installation to its end."""

    def __init__(self, folder: Path, database: MariaDB) -> None:
        """Install it with the two plugins."""
        self.root = folder / "site"
        shutil.copytree(WORDPRESS, self.root, symlinks=True)
        plugins = self.root / "wp-content" / "plugins"
        shutil.copytree(STORE, plugins / "woocommerce")
        unpacked("woocommerce", plugins)
        (self.root / "wp-config.php").unlink(missing_ok=True)
        database.create("wordpress")
        self.server = PhpServer(self.root, folder / "php.log")
        config = CONFIG.replace("{url}", self.server.url)
        config = config.replace("{socket}", str(database.socket))
        (self.root / "wp-config.php").write_text(config)
        ran(INSTALL, self.root, {"PASSWORD": STAFF["pwd"]})
        assert ran(ACTIVATE, self.root, {}) == ""
        self.staff = httpx.Client(base_url=self.server.url, trust_env=False, timeout=60)
        self.customer = httpx.Client(base_url=self.server.url, trust_env=False, timeout=60)
        self.staff.get("/wp-login.php")
        assert self.staff.post("/wp-login.php", data=STAFF).status_code == 302

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.staff.close()
        self.customer.close()
        self.server.close()

    def page(self, name: str) -> str:
        """Return an address of our plugin."""
        return f"{self.server.url}/?wc-api=hundi_{name}"

    def connect(self, own: Credentials, gateway_url: str, page_url: str = "") -> None:
        """Type the settings in, as the shop's owner does."""
        self.own, self.gateway_url = own, gateway_url
        typed = {
            "enabled": "1",
            "title": "UPI & cards",
            "gateway_url": gateway_url,
            "page_url": page_url,
            "merchant_id": own.merchant_id,
            "username": own.username,
            "password": own.password,
            "api_secret": own.api_secret,
            "client_id": own.oauth_client_id,
            "client_secret": own.oauth_client_secret,
            "webhook_key": own.webhook_keys[0],
            "prefix": "WC",
        }
        self.save(typed)

    def save(self, typed: dict[str, str]) -> str:
        """Save fields of the settings, and return the page after it."""
        screen = self.settings()
        (nonce,) = re.findall(r'name="_wpnonce" value="([^"]+)"', screen)
        fields = {f"woocommerce_hundi_{name}": value for name, value in typed.items()}
        return self.staff.post(SETTINGS, data={"_wpnonce": nonce, **fields}).text

    def settings(self) -> str:
        """Return the page of the settings."""
        return self.staff.get(SETTINGS).raise_for_status().text

    def tested(self) -> str:
        """Press the button that tests the connection, and return what it says."""
        (address,) = re.findall(r'id="hundi-test" href="([^"]+)"', self.settings())
        screen = self.staff.get(address.replace("&#038;", "&"), follow_redirects=True).text
        (said,) = re.findall(r'id="hundi-test-result" role="status">([^<]*)<', screen)
        return said

    def look(self, do: str, order_id: int = 0, **given: Any) -> Any:
        """Do or see something as the shop's own software does."""
        asked = {"store": do, "id": order_id}
        return self.customer.post("/", params=asked, data=given).raise_for_status().json()

    def order(self, order_id: int) -> dict[str, Any]:
        """Return an order as the shop has it."""
        return self.look("order", order_id)

    def becomes(self, order_id: int, status: str) -> dict[str, Any]:
        """Wait until an order has a status."""

        def see() -> dict[str, Any] | None:
            found = self.order(order_id)
            return found if found["status"] == status else None

        return until(see, f"order {order_id} to become {status}", every_s=0.2)

    def notes(self, order_id: int) -> str:
        """Return what the shop's staff read under an order."""
        return "\n".join(self.order(order_id)["notes"])

    def placed(self, **changes: str) -> dict[str, Any]:
        """Place an order at the classic checkout."""
        typed = BILLING | {"payment_method": "hundi"} | changes
        return self.customer.post("/?wc-ajax=checkout", data=typed).json()

    def refunded(self, order_id: int, amount: str) -> dict[str, Any]:
        """Press "refund by Hundi" on the order's screen."""
        # A nonce is of the person who presses.
        nonce = self.staff.post("/?store=nonce", data={"of": "order-item"}).json()
        asked = {"order_id": order_id, "refund_amount": amount, "api_refund": "true"}
        action = {"action": "woocommerce_refund_line_items", "security": nonce}
        return self.staff.post("/wp-admin/admin-ajax.php", data=asked | action).json()

    def written(self) -> str:
        """Return everything that PHP and the shop have logged."""
        logs = (self.server.log, self.root / "wp-content" / "wc.log")
        return "\n".join(each.read_text() for each in logs if each.exists())


SETTINGS = "/wp-admin/admin.php?page=wc-settings&tab=checkout&section=hundi"
