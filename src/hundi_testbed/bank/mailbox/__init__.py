"""The mailbox of everybody in a demo: it takes the gateway's mails by SMTP, and shows them."""
