package hundi.spring;

import hundi.Callbacks.Notification;

/** Hands an event over once: its mark and the shop's effect are written together, or neither. */
public interface EventStore {
  /** Return whether {@code handle} ran now; false when it ran before. */
  boolean handOver(Notification news, Runnable handle);
}
