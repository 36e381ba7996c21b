package hundi;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** A gateway's addresses, and a caller's limits. */
public final class Gateway {
  final String baseUrl;
  String paymentPageUrl;
  String shopOrigin = "";
  Duration timeout = Duration.ofSeconds(10);
  List<Duration> pauses = List.of(Duration.ofMillis(200), Duration.ofMillis(800));
  boolean allowPlainHttp = false;
  boolean allowPlainReplies = false;

  /** baseUrl: the API host, {@code https://api.example.in}. */
  public Gateway(String baseUrl) {
    this.baseUrl = baseUrl.replaceFirst("/+$", "");
    this.paymentPageUrl = this.baseUrl;
  }

  /** Set the host of the payment page; by default the API host. */
  public Gateway paymentPageUrl(String value) {
    if (!value.isEmpty()) paymentPageUrl = value.replaceFirst("/+$", "");
    return this;
  }

  /** Set {@code https://shop.example}, for merchants that have registered their domains. */
  public Gateway shopOrigin(String value) {
    shopOrigin = value;
    return this;
  }

  /** Set how long one try may take. */
  public Gateway timeout(Duration value) {
    timeout = value;
    return this;
  }

  /** Set the pauses before each further try of a call that cannot move money twice. */
  public Gateway pauses(List<Duration> value) {
    pauses = List.copyOf(value);
    return this;
  }

  /** Accept {@code http://} for another host than this machine. */
  public Gateway allowPlainHttp() {
    allowPlainHttp = true;
    return this;
  }

  /** Believe replies without an encrypted part. */
  public Gateway allowPlainReplies() {
    allowPlainReplies = true;
    return this;
  }

  void check() {
    for (String address : List.of(baseUrl, paymentPageUrl)) {
      URI uri;
      try {
        uri = URI.create(address);
      } catch (IllegalArgumentException error) {
        throw HundiException.configuration("not the address of a gateway: " + address);
      }
      String scheme = uri.getScheme() == null ? "" : uri.getScheme();
      if (!Set.of("http", "https").contains(scheme)
          || uri.getHost() == null
          || uri.getQuery() != null
          || uri.getFragment() != null) {
        throw HundiException.configuration("not the address of a gateway: " + address);
      }
      boolean isHere = Set.of("127.0.0.1", "[::1]", "localhost").contains(uri.getHost());
      if (scheme.equals("http") && !allowPlainHttp && !isHere) {
        throw HundiException.configuration(address + " is not https");
      }
    }
  }
}
