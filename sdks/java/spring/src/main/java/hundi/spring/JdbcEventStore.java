package hundi.spring;

import hundi.Callbacks.Notification;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** Marks events in the table {@code hundi_events}, beside the shop's orders. */
public final class JdbcEventStore implements EventStore {
  private static final String MARK =
      "INSERT INTO hundi_events (webhook_id, event, order_id) VALUES (?, ?, ?)";
  private final JdbcTemplate jdbc;
  private final TransactionTemplate transactions;

  public JdbcEventStore(JdbcTemplate jdbc, TransactionTemplate transactions) {
    this.jdbc = jdbc;
    this.transactions = transactions;
  }

  /** A second delivery at the same moment waits at the primary key until the first has ended. */
  @Override
  public boolean handOver(Notification news, Runnable handle) {
    return Boolean.TRUE.equals(
        transactions.execute(
            status -> {
              if (!isMarkedNow(news)) {
                status.setRollbackOnly();
                return false;
              }
              handle.run();
              return true;
            }));
  }

  private boolean isMarkedNow(Notification news) {
    try {
      return jdbc.update(MARK, news.webhookId(), news.event(), news.transaction().orderId()) == 1;
    } catch (DuplicateKeyException error) {
      return false;
    }
  }
}
