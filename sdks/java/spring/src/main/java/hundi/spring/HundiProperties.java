package hundi.spring;

import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** The settings {@code hundi.*}. Keep the secrets in your server's environment. */
@ConfigurationProperties("hundi")
public record HundiProperties(
    String baseUrl,
    String merchantId,
    String username,
    String password,
    String apiSecret,
    String oauthClientId,
    String oauthClientSecret,
    List<String> webhookKeys) {}
