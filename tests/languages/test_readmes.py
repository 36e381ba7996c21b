"""The sample in each SDK's README runs as it stands, at the running gateway."""

import os
import re
import subprocess

from tests.house.source import ROOT
from tests.patience import PATIENCE_S
from tests.system.shop import Shop, new_order_id

SAMPLES = {
    "node": ("build/shop.mjs", ["node", "build/shop.mjs"]),
    "go": ("build/shop/main.go", ["go", "run", "./build/shop"]),
    "java": ("target/Shop.java", ["java", "-cp", "target/classes", "target/Shop.java"]),
    "php": (
        "build/shop.php",
        ["php", "-d", "auto_prepend_file=tests/autoload.php", "build/shop.php"],
    ),
}
"""Where each language's sample is written, and how it is run."""


def test_the_sample_runs(language: str, shop: Shop) -> None:
    folder = ROOT / "sdks" / language
    sample, *_ = re.findall(r"```[a-z]+\n(.*?)```", (folder / "README.md").read_text(), re.DOTALL)
    place, command = SAMPLES[language]
    (folder / place).parent.mkdir(parents=True, exist_ok=True)
    (folder / place).write_text(sample)
    own = shop.merchant.credentials
    environment = {
        **os.environ,
        "MERCHANT_ID": own.merchant_id,
        "USERNAME": own.username,
        "PASSWORD": own.password,
        "API_SECRET": own.api_secret,
        "OAUTH_CLIENT_ID": own.oauth_client_id,
        "OAUTH_CLIENT_SECRET": own.oauth_client_secret,
        "WEBHOOK_KEY": own.webhook_keys[0],
        "BASE_URL": shop.gateway.base_url,
        "ORDER_ID": new_order_id("README"),
    }
    ran = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE_S * 4
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() in (["true", "pending"], ["true", "<nil>", "pending"])
