"""What docs/payment.md, callbacks.md and seamless.md show in Python."""

import os
import sys
from urllib.parse import parse_qsl

from hundi.sdk import Client, Credentials, Gateway

credentials = Credentials(
    merchant_id=os.environ["MERCHANT_ID"],
    username=os.environ["USERNAME"],
    password=os.environ["PASSWORD"],
    api_secret=os.environ["API_SECRET"],
    oauth_client_id=os.environ["OAUTH_CLIENT_ID"],
    oauth_client_secret=os.environ["OAUTH_CLIENT_SECRET"],
    webhook_keys=(os.environ["WEBHOOK_KEY"],),
)
gateway = Gateway(base_url=os.environ["BASE_URL"], payment_page_url=os.environ["PAYMENT_PAGE_URL"])
client = Client(credentials, gateway)
posted = dict(parse_qsl(os.environ["POSTED"]))
names = ("webhook-id", "webhook-timestamp", "webhook-signature")
headers = {name: os.environ["HTTP_" + name.upper().replace("-", "_")] for name in names}
body = sys.stdin.buffer.read()

# [form]
from hundi.sdk import Buyer, Order

buyer = Buyer(first_name="Asha", last_name="Rao", email="asha@example.in", phone="9876543210")
order = Order(order_id=os.environ["NEW_ORDER_ID"], amount_paise=149950, buyer=buyer)
form = client.payment_form(order)
print(form.html())  # answer the customer's request with this document
# [end]

# [return]
from hundi.sdk import Callbacks
from hundi.sdk.errors import UntrustedError

callbacks = Callbacks(credentials)
try:
    # the fields that the browser brought; the order's id and amount are those of your own books
    back = callbacks.read_return(posted, order_id=os.environ["ORDER_ID"], amount_paise=149950)
    print("paid" if back.transaction.is_paid else "not paid yet")
except UntrustedError:
    print("not believed")  # money may still have moved: verify tells
# [end]

# [notification]
try:
    news = callbacks.read_notification(headers, body)  # the raw bytes, as they came
    print(news.event, news.transaction.order_id, news.transaction.amount_paise)
except UntrustedError:
    print("not believed")  # answer 4xx
# [end]

# [seamless]
from hundi.sdk import DirectPayment

direct = Order(order_id=os.environ["NEW_ORDER_ID"] + "-S", amount_paise=149950, buyer=buyer)
step = client.begin_payment(DirectPayment(order=direct, pay_by="nb", bank_code="HDFC"))
print(step.action)  # redirect: send the customer's browser to step.redirect_url
# [end]
