package hundi.spring;

import hundi.Callbacks;
import hundi.Client;
import hundi.Credentials;
import hundi.Gateway;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Makes the client and the two addresses, once {@code hundi.merchant-id} is set. */
@AutoConfiguration
@ConditionalOnProperty("hundi.merchant-id")
@EnableConfigurationProperties(HundiProperties.class)
public class HundiAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  Credentials hundiCredentials(HundiProperties own) {
    return new Credentials(
        own.merchantId(),
        own.username(),
        own.password(),
        own.apiSecret(),
        own.oauthClientId(),
        own.oauthClientSecret(),
        own.webhookKeys());
  }

  @Bean
  @ConditionalOnMissingBean
  Client hundiClient(Credentials credentials, HundiProperties own) {
    return new Client(credentials, new Gateway(own.baseUrl()));
  }

  @Bean
  @ConditionalOnMissingBean
  Callbacks hundiCallbacks(Credentials credentials) {
    return new Callbacks(credentials);
  }

  @Bean
  @ConditionalOnMissingBean
  EventStore hundiEventStore(JdbcTemplate jdbc, PlatformTransactionManager transactions) {
    return new JdbcEventStore(jdbc, new TransactionTemplate(transactions));
  }

  @Bean
  @ConditionalOnMissingBean
  PaymentPages hundiPaymentPages(Client client) {
    return new PaymentPages(client);
  }

  @Bean
  HundiController hundiController(Callbacks callbacks, EventStore store, ShopBooks books) {
    return new HundiController(callbacks, store, books);
  }
}
