package hundi;

import java.util.regex.Pattern;

/**
 * Everything the SDK throws on purpose. {@code kind} says what it is about, {@code retry} whether
 * the same call can succeed if it is made again; {@code field}, {@code received} and {@code
 * allowed} say what is wrong with which field. Texts are empty where there is nothing to say.
 */
public final class HundiException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Whether the same call can succeed if it is made again. */
  public enum Retry {
    NEVER,
    AFTER_FIX,
    LATER
  }

  /** What an error is about; that of a refusal by the gateway follows from its code. */
  public enum Kind {
    CONFIGURATION,
    WRONG_KEY,
    INVALID_REQUEST,
    UNREACHABLE,
    UNREADABLE_REPLY,
    OUTCOME_UNKNOWN,
    REFUSED,
    REQUEST_REFUSED,
    TOKEN_REFUSED,
    CREDENTIALS_REFUSED,
    ORDER_REFUSED,
    NOT_ENABLED,
    STATE_REFUSED,
    NOT_FOUND,
    TOO_MANY_REQUESTS,
    GATEWAY_FAULT,
    UNREADABLE_CALLBACK,
    SIGNATURE,
    STALE,
    SECURE_HASH,
    MISMATCH
  }

  private static final Pattern FIELD_SENTENCE =
      Pattern.compile(
          "^([^:\\s]+): (?:received (['\"])(.*)\\2|it is missing), allowed is (.+)$",
          Pattern.DOTALL);

  private final Kind kind;
  private final Retry retry;
  private final String code;
  private final String referenceId;
  private final String field;
  private final String received;
  private final String allowed;

  private HundiException(
      Kind kind,
      Retry retry,
      String message,
      String code,
      String referenceId,
      String[] about,
      Throwable cause) {
    super(message, cause);
    this.kind = kind;
    this.retry = retry;
    this.code = code;
    this.referenceId = referenceId;
    this.field = about[0];
    this.received = about[1];
    this.allowed = about[2];
  }

  private static final String[] NOTHING = {"", "", ""};

  static HundiException of(Kind kind, Retry retry, String message) {
    return new HundiException(kind, retry, message, "", "", NOTHING, null);
  }

  static HundiException configuration(String message) {
    return of(Kind.CONFIGURATION, Retry.AFTER_FIX, message);
  }

  static HundiException wrongKey(String message, HundiException hint) {
    if (hint == null) return of(Kind.WRONG_KEY, Retry.AFTER_FIX, message);
    String told = message + "; beside it stands: " + hint.getMessage();
    return new HundiException(
        Kind.WRONG_KEY, hint.retry, told, hint.code, hint.referenceId, NOTHING, null);
  }

  static HundiException invalid(String field, String received, String allowed) {
    String got = received.isEmpty() ? "it is missing" : "received \"" + received + "\"";
    String message = field + ": " + got + ", allowed is " + allowed;
    String[] about = {field, received, allowed};
    return new HundiException(Kind.INVALID_REQUEST, Retry.AFTER_FIX, message, "", "", about, null);
  }

  static HundiException noAnswer(Kind kind, String message) {
    return of(kind, Retry.LATER, message);
  }

  /** Return the error of a call that may have moved money: ask, do not repeat it. */
  static HundiException outcomeUnknown(String operation, HundiException cause) {
    String message =
        operation + " may have been done: ask, do not repeat it (" + cause.getMessage() + ")";
    return new HundiException(
        Kind.OUTCOME_UNKNOWN, Retry.NEVER, message, "", cause.referenceId, NOTHING, cause);
  }

  static HundiException untrusted(Kind kind, String message) {
    return of(kind, Retry.NEVER, message);
  }

  static HundiException mismatch(String field, String expected, String received) {
    String message = field + ": expected \"" + expected + "\", received \"" + received + "\"";
    String[] about = {field, received, expected};
    return new HundiException(Kind.MISMATCH, Retry.NEVER, message, "", "", about, null);
  }

  /** Return the error of a refusing reply. */
  static HundiException refusal(String code, String message, String referenceId) {
    var declared =
        Operations.CODES.getOrDefault(code, new Operations.Declared(Kind.REFUSED, Retry.AFTER_FIX));
    var parts = FIELD_SENTENCE.matcher(message);
    String[] about = NOTHING;
    if (parts.matches()) {
      about =
          new String[] {
            parts.group(1), parts.group(3) == null ? "" : parts.group(3), parts.group(4)
          };
    }
    String told = message.isEmpty() ? "the gateway gave no reason" : message;
    return new HundiException(
        declared.kind(), declared.retry(), told, code, referenceId, about, null);
  }

  /** Return whether a reply, return or notification must not be believed. Ask {@code verify}. */
  public boolean isUntrusted() {
    return kind.compareTo(Kind.UNREADABLE_CALLBACK) >= 0;
  }

  boolean hasNoAnswer() {
    return kind == Kind.UNREACHABLE || kind == Kind.UNREADABLE_REPLY || kind == Kind.GATEWAY_FAULT;
  }

  public Kind kind() {
    return kind;
  }

  public Retry retry() {
    return retry;
  }

  /** Return the gateway's response code, or "". */
  public String code() {
    return code;
  }

  /** Return what to quote to the gateway's operator, or "". */
  public String referenceId() {
    return referenceId;
  }

  public String field() {
    return field;
  }

  public String received() {
    return received;
  }

  public String allowed() {
    return allowed;
  }
}
