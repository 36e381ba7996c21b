"""What Pine Labs published: the vector of a webhook's signature.

From plural-pinelabs/pinelabs-agent-skills-cli at 4df08d4, webhooks.md, "Known Signature Vector".
"""

WEBHOOK_ID = "msg_2nEfCaUDn9fynC9Kz2upo1QSydl"
WEBHOOK_TIMESTAMP = "1728543028"
WEBHOOK_SIGNATURE = "v1,Ns46HrH+Nfu9dZtBUVvSLyrOD5JH0SAGlNo3M5yobfQ="
WEBHOOK_SECRET = "YWJjMTIzNA=="
WEBHOOK_BODY = b'{"payload":"payload"}'
