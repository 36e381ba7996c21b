<?php

declare(strict_types=1);

namespace Hundi\Payments\Model;

use Magento\Checkout\Model\ConfigProviderInterface;
use Magento\Framework\UrlInterface;

/** What the checkout's script reads; no setting goes to a browser. */
class CheckoutConfig implements ConfigProviderInterface
{
    public function __construct(private readonly UrlInterface $url)
    {
    }

    /** @return array<string, mixed> */
    public function getConfig(): array
    {
        return ['payment' => [Site::METHOD => ['pay' => $this->url->getUrl('hundi/payment/pay', ['_secure' => true])]]];
    }
}
