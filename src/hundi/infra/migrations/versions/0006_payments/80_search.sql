-- By what payments are searched for, beside what their own tables have an index of (decision 0042). A worker writes it
-- after the payments; nothing reads it but the search box, and it can be made anew at any time.

-- kind: what the key is, a `Kind` of payments/search/rules.py. key: the amount in paise, a number, or the first eight
-- bytes of a keyed hash. A payment in the archive keeps its keys.
CREATE TABLE search_keys (
    merchant_id bigint NOT NULL,
    kind smallint NOT NULL,
    key bigint NOT NULL,
    payment_id gateway_id NOT NULL,
    PRIMARY KEY (merchant_id, kind, key, payment_id)
);

-- Up to where a merchant's events were followed. archived_upto: of the payments that were in the archive before the index
-- was there, null once all are in it.
CREATE TABLE search_marks (
    merchant_id bigint PRIMARY KEY,
    upto_xact xid8 NOT NULL DEFAULT '0',
    upto_id bigint NOT NULL DEFAULT -1,
    cluster text NOT NULL DEFAULT '',
    archived_upto bigint DEFAULT -1
);
