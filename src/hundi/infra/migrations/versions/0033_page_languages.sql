-- In which language a customer uses the payment page, where letters about the order would else go in another one.
CREATE TABLE page_languages (
    merchant_id bigint NOT NULL,
    payment_id bigint NOT NULL,
    language text NOT NULL CHECK (language ~ '^[a-z]{2}$'),
    written_at timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, payment_id)
);
