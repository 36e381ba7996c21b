-- The language of the words that a customer agreed to on a page of ours; empty for words that a merchant tells.
ALTER TABLE message_consents ADD COLUMN language text NOT NULL DEFAULT '';
