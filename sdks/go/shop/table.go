package shop

import (
	"context"
	"database/sql"

	hundi "hundi.example/go"
)

// CreateTable creates the table of handled events, in PostgreSQL and SQLite.
const CreateTable = `CREATE TABLE IF NOT EXISTS hundi_events (
  webhook_id varchar(255) PRIMARY KEY,
  event varchar(64) NOT NULL,
  order_id varchar(64) NOT NULL,
  handled_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP
)`

const mark = `INSERT INTO hundi_events (webhook_id, event, order_id) VALUES ($1, $2, $3)
ON CONFLICT (webhook_id) DO NOTHING`

// Table marks events in the table hundi_events, beside the shop's orders.
type Table struct{ DB *sql.DB }

// HandOver marks an event and runs handle in one transaction.
func (t Table) HandOver(
	ctx context.Context, news hundi.Notification, handle func(*sql.Tx) error,
) (bool, error) {
	tx, err := t.DB.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback() // does nothing after a commit
	marked, err := tx.ExecContext(ctx, mark, news.WebhookID, news.Event, news.Transaction.OrderID)
	if err != nil {
		return false, err
	}
	if rows, err := marked.RowsAffected(); err != nil || rows == 0 {
		return false, err
	}
	if err := handle(tx); err != nil {
		return false, err
	}
	return true, tx.Commit()
}
