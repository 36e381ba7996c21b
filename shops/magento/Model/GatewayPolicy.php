<?php

declare(strict_types=1);

namespace Hundi\Payments\Model;

use Magento\Csp\Api\PolicyCollectorInterface;
use Magento\Csp\Model\Policy\FetchPolicy;

/** Lets the shop's pages post to the payment page, whose address is a setting. */
class GatewayPolicy implements PolicyCollectorInterface
{
    public function __construct(private readonly Site $site)
    {
    }

    public function collect(array $defaultPolicies = []): array
    {
        $origin = $this->site->settings()->paymentOrigin();
        return $origin === '' ? $defaultPolicies : [...$defaultPolicies, new FetchPolicy('form-action', false, [$origin], [], true)];
    }
}
