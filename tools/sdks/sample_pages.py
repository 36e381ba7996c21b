"""Puts samples into pages as tabs, and into one program for each language."""

from textwrap import indent

from tools.sdks.sample_languages import LANGUAGES, SampleLanguage
from tools.sdks.samples import SAMPLES, PageSample

CALLS = "⟨calls⟩"
"""The place of the calls in a program."""
_HERE = "the calls of the other pages stand here"
PROGRAMS = {
    "curl": f"""\
# bash, openssl and curl
hex() {{ printf %s "$1" | od -An -tx1 | tr -d ' \\n'; }}
digest() {{ openssl dgst "-$1" -r | cut -d ' ' -f 1; }}
key=$(printf %s "$USERNAME~:~$PASSWORD" | digest md5)
privatekey=$(printf %s "$API_SECRET@$USERNAME:|:$PASSWORD" | digest sha256)
seal() {{
  iv=$(openssl rand -hex 8)
  printf %s "$iv"
  printf %s "$1" | openssl enc -aes-256-cbc -K "$(hex "$key")" -iv "$(hex "$iv")" -base64 -A
}}
asked='{{"client_id": "'"$OAUTH_CLIENT_ID"'", "client_secret": "'"$OAUTH_CLIENT_SECRET"'",
  "merchant_id": "'"$MERCHANT_ID"'", "grant_type": "client_credentials", "scope": "operations"}}'
token=$(curl -s "$BASE_URL/gateway/pay/v4/api/oauth2/" \\
  --data-urlencode "merchant_id=$MERCHANT_ID" \\
  --data-urlencode "encdata=$(seal "$asked")" |
  grep -o '"access_token":"[0-9a-f]*"' | cut -d '"' -f 4)
{CALLS}
""",
    "python": f"""\
import os

from hundi.sdk import Client, Credentials, Gateway, NewPaymentLink, QrOrder, RefundItem, Split

credentials = Credentials(
    merchant_id=os.environ["MERCHANT_ID"],
    username=os.environ["USERNAME"],
    password=os.environ["PASSWORD"],
    api_secret=os.environ["API_SECRET"],
    oauth_client_id=os.environ["OAUTH_CLIENT_ID"],
    oauth_client_secret=os.environ["OAUTH_CLIENT_SECRET"],
    webhook_keys=(os.environ["WEBHOOK_KEY"],),
)
client = Client(credentials, Gateway(base_url=os.environ["BASE_URL"]))
{CALLS}
""",
    "php": f"""\
<?php

$credentials = new Hundi\\Credentials(
    merchantId: getenv('MERCHANT_ID'),
    username: getenv('USERNAME'),
    password: getenv('PASSWORD'),
    apiSecret: getenv('API_SECRET'),
    oauthClientId: getenv('OAUTH_CLIENT_ID'),
    oauthClientSecret: getenv('OAUTH_CLIENT_SECRET'),
    webhookKeys: [getenv('WEBHOOK_KEY')],
);
$client = new Hundi\\Client($credentials, new Hundi\\Gateway(getenv('BASE_URL')));
{CALLS}
""",
    "node": f"""\
import {{ Client, Credentials }} from "hundi";

const {{ env }} = process;
const credentials = new Credentials({{
  merchantId: env.MERCHANT_ID,
  username: env.USERNAME,
  password: env.PASSWORD,
  apiSecret: env.API_SECRET,
  oauthClientId: env.OAUTH_CLIENT_ID,
  oauthClientSecret: env.OAUTH_CLIENT_SECRET,
  webhookKeys: [env.WEBHOOK_KEY],
}});
const client = new Client(credentials, {{ baseUrl: env.BASE_URL }});
{CALLS}
""",
    "java": f"""\
import hundi.*;
import hundi.Messages.*;
import java.util.List;

class Calls {{
  public static void main(String[] arguments) {{
    var env = System.getenv();
    var credentials =
        new Credentials(
            env.get("MERCHANT_ID"),
            env.get("USERNAME"),
            env.get("PASSWORD"),
            env.get("API_SECRET"),
            env.get("OAUTH_CLIENT_ID"),
            env.get("OAUTH_CLIENT_SECRET"),
            List.of(env.get("WEBHOOK_KEY")));
    var client = new Client(credentials, new Gateway(env.get("BASE_URL")));
    {CALLS}
  }}
}}
""",
    "go": f"""\
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	hundi "hundi.example/go"
)

func main() {{
	ctx := context.Background()
	client, err := hundi.NewClient(hundi.Credentials{{
		MerchantID:        os.Getenv("MERCHANT_ID"),
		Username:          os.Getenv("USERNAME"),
		Password:          os.Getenv("PASSWORD"),
		APISecret:         os.Getenv("API_SECRET"),
		OAuthClientID:     os.Getenv("OAUTH_CLIENT_ID"),
		OAuthClientSecret: os.Getenv("OAUTH_CLIENT_SECRET"),
		WebhookKeys:       []string{{os.Getenv("WEBHOOK_KEY")}},
	}}, hundi.Gateway{{BaseURL: os.Getenv("BASE_URL")}})
	if err != nil {{
		log.Fatal(err)
	}}
	{CALLS}
}}
""",
}
"""A whole program in each language, which connects with what `hundi merchant add` printed."""
_REMARKS = {"curl": "#", "python": "#"}
_BRACED = {"node", "java", "go"}


def program(language: SampleLanguage) -> str:
    """Return the program with every sample in it, in their order."""
    return PROGRAMS[language.name].replace(
        CALLS, "\n".join(_call(language, each) for each in SAMPLES)
    )


def _call(language: SampleLanguage, sample: PageSample) -> str:
    written = language.write(sample)
    if language.name == "curl":
        return f"{written}\necho"
    # Each sample names its result alike.
    return f"{{\n{written}\n}}" if language.name in _BRACED else written


def pages() -> list[str]:
    """Return the names of the pages with samples, each once."""
    return list(dict.fromkeys(each.page for each in SAMPLES))


def shown_on(page: str) -> str:
    """Return the samples of a page, each as tabs; the first page has the programs as well."""
    parts = [_tabs(each.says, each) for each in SAMPLES if each.page == page]
    if page == "sdk":
        return "\n\n".join([_connecting(), *parts])
    lead = (
        "`client`, and for curl `token`, `privatekey` and `seal`, are made [once](sdk.md#connect)."
    )
    return "\n\n".join([lead, *parts])


def _connecting() -> str:
    tabs: list[str] = []
    for language in LANGUAGES:
        remark = f"{_REMARKS.get(language.name, '//')} {_HERE}"
        text = PROGRAMS[language.name].replace(CALLS, remark).rstrip()
        tabs.append(tab(language, text))
    return "\n\n".join(["**Connect**", *tabs])


def _tabs(says: str, sample: PageSample) -> str:
    return "\n\n".join([f"**{says}**", *(tab(each, each.write(sample)) for each in LANGUAGES)])


def tab(language: SampleLanguage, text: str) -> str:
    """Return a text as the tab of a language."""
    block = f"```{language.fence}\n{text}\n```"
    return f'=== "{language.title}"\n\n' + indent(block, "    ")
