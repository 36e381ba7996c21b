<?php

// What our module calls of Magento's own modules, by their published interface; none of their code.

declare(strict_types=1);

namespace Magento\Csp\Api {
    interface PolicyCollectorInterface
    {
        public function collect(array $defaultPolicies = []): array;
    }
}

namespace Magento\Csp\Model\Policy {
    final class FetchPolicy
    {
        public function __construct(public string $id, public bool $noneAllowed = true, public array $hosts = [], public array $schemes = [], public bool $selfAllowed = false)
        {
        }
    }
}

namespace Magento\Checkout\Model {
    use Magento\Framework\App\ResourceConnection;
    use Magento\Sales\Model\Order;

    interface ConfigProviderInterface
    {
        public function getConfig();
    }

    final class Session
    {
        public function __construct(private readonly ResourceConnection $resource)
        {
        }

        public function getLastRealOrder(): Order
        {
            return (new Order($this->resource))->load((int) ($_COOKIE['order'] ?? 0));
        }

        public function restoreQuote(): bool
        {
            return $this->getLastRealOrder()->getId() !== null;
        }
    }
}

namespace Magento\Payment\Gateway {
    interface CommandInterface
    {
        public function execute(array $commandSubject);
    }
}

namespace Magento\Payment\Gateway\Command {
    final class CommandException extends \Exception
    {
        public function __construct(string $phrase, ?\Exception $cause = null)
        {
            parent::__construct($phrase, 0, $cause);
        }
    }
}

namespace Magento\Sales\Model\Order\Email\Sender {
    final class OrderSender
    {
        public function send(\Magento\Sales\Model\Order $order, $forceSyncMode = false): bool
        {
            $order->row['mails'] = (int) $order->row['mails'] + 1;
            $order->save();
            return true;
        }
    }
}

namespace Magento\Sales\Model {
    use Magento\Framework\App\ResourceConnection;

    final class OrderFactory
    {
        public function __construct(private readonly ResourceConnection $resource)
        {
        }

        public function create(): Order
        {
            return new Order($this->resource);
        }
    }

    /** An order, with its payment and billing address as one row. */
    final class Order
    {
        public const STATE_PENDING_PAYMENT = 'pending_payment';
        private const TEXTS = ['CustomerEmail', 'Telephone', 'Firstname', 'Lastname', 'City', 'Region', 'CountryId', 'Postcode', 'OrderCurrencyCode'];

        /** @var array<string, mixed> */
        public array $row = [];

        public function __construct(private readonly ResourceConnection $resource)
        {
        }

        public function load($id): self
        {
            $found = $this->resource->fetchAll('SELECT * FROM sale WHERE id = ?', [$id]);
            $this->row = $found[0] ?? [];
            return $this;
        }

        public function save(): self
        {
            $names = array_keys($this->row);
            $places = implode(', ', array_fill(0, count($names), '?'));
            $this->resource->query('REPLACE INTO sale (' . implode(', ', $names) . ") VALUES ($places)", array_values($this->row));
            return $this;
        }

        public function __call(string $name, array $arguments): string
        {
            $field = substr($name, strlen('get'));
            return in_array($field, self::TEXTS, true) ? (string) $this->row[strtolower($field)] : throw new \BadMethodCallException($name);
        }

        public function getId()
        {
            return $this->row['id'] ?? null;
        }

        public function getBillingAddress(): self
        {
            return $this;
        }

        public function getStreet(): array
        {
            return ['1 Ring Road', 'Flat 2'];
        }

        public function getGrandTotal()
        {
            return $this->row['total'];
        }

        public function getBaseGrandTotal()
        {
            return $this->row['total'];
        }

        public function getTotalPaid()
        {
            return $this->row['paid'];
        }

        public function getPayment(): Payment
        {
            return new Payment($this);
        }

        public function isCanceled(): bool
        {
            return $this->row['state'] === 'canceled';
        }

        public function canCancel(): bool
        {
            return $this->row['state'] === self::STATE_PENDING_PAYMENT;
        }

        public function cancel(): self
        {
            $this->row['state'] = 'canceled';
            return $this;
        }

        public function canHold(): bool
        {
            return !in_array($this->row['state'], ['canceled', 'holded'], true);
        }

        public function hold(): self
        {
            $this->row['state'] = 'holded';
            return $this;
        }

        public function setCanSendNewEmailFlag(bool $flag): self
        {
            return $this;
        }

        public function addCommentToStatusHistory($comment, $status = false, $isVisibleOnFront = false): void
        {
            $this->row['comments'] .= "$comment\n";
        }
    }

    final class Payment
    {
        public ?object $creditmemo = null;

        public function __construct(private readonly Order $order)
        {
        }

        public function getOrder(): Order
        {
            return $this->order;
        }

        public function getMethod(): string
        {
            return 'hundi';
        }

        public function getCreditmemo(): object
        {
            return $this->creditmemo;
        }

        public function setTransactionId($id): self
        {
            $this->order->row['transaction'] = $id;
            return $this;
        }

        public function setIsTransactionClosed($closed): self
        {
            return $this;
        }

        public function registerCaptureNotification($amount, $skipFraudDetection = false): self
        {
            $this->order->row['paid'] = (float) $this->order->row['paid'] + (float) $amount;
            $this->order->row['state'] = 'processing';
            return $this;
        }
    }
}
