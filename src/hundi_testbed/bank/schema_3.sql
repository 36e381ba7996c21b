-- What came after schema_2.sql was released: who is paid. A database that has the first two gets this one as well.

-- The names of the gateway's merchants, by what their references begin with: the pages of banks say who is paid.
CREATE TABLE payees (
    payee text PRIMARY KEY,
    name  text NOT NULL CHECK (length(name) BETWEEN 1 AND 255)
);
