<?php

declare(strict_types=1);

namespace Hundi\Payments\Model;

use Hundi\Shop\Books;
use Hundi\Shop\PaymentDesk;
use Hundi\Shop\Settings;
use Hundi\Shop\Shop;
use Hundi\Shop\ShopOrder;
use Magento\Framework\App\Config\ScopeConfigInterface;
use Magento\Framework\Encryption\EncryptorInterface;
use Magento\Sales\Model\Order\Email\Sender\OrderSender;
use Magento\Sales\Model\OrderFactory;
use Psr\Log\LoggerInterface;

/** Magento as the common part sees it. */
class Site implements Shop
{
    public const METHOD = 'hundi';

    public function __construct(
        private readonly ScopeConfigInterface $config,
        private readonly EncryptorInterface $encryptor,
        private readonly Database $database,
        private readonly OrderFactory $orders,
        private readonly OrderSender $mails,
        private readonly LoggerInterface $logger,
    ) {
    }

    public function settings(): Settings
    {
        $typed = [];
        foreach (Settings::FIELDS as $name => [, , $isSecret]) {
            $saved = (string) $this->config->getValue('payment/' . self::METHOD . "/$name");
            $typed[$name] = $isSecret && $saved !== '' ? $this->encryptor->decrypt($saved) : $saved;
        }
        return new Settings($typed);
    }

    public function books(): Books
    {
        return new Books($this->database, $this->database->prefix());
    }

    public function desk(): PaymentDesk
    {
        return new PaymentDesk($this->settings(), $this->books(), $this);
    }

    public function order(string $id): ?ShopOrder
    {
        // Loaded anew: a repository has the order as it was earlier in this request.
        $found = $this->orders->create()->load((int) $id);
        return $found->getId() ? new Order($found, $this->mails) : null;
    }

    public function log(string $line): void
    {
        $this->logger->warning("Hundi: $line");
    }
}
