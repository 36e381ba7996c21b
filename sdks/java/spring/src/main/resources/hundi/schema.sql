CREATE TABLE IF NOT EXISTS hundi_events (
  webhook_id varchar(255) PRIMARY KEY,
  event varchar(64) NOT NULL,
  order_id varchar(64) NOT NULL,
  handled_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP
);
