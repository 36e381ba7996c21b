<?php

declare(strict_types=1);

namespace Opencart\Catalog\Model\Extension\Hundi\Payment;

use Hundi\OpenCart\Site;
use Hundi\Operations;

require_once DIR_EXTENSION . 'hundi/system/library/opencart/load.php';

/** Whether customers can choose Hundi. */
class Hundi extends \Opencart\System\Engine\Model
{
    /**
     * @param array<string, mixed> $address
     * @return array<string, mixed>
     */
    public function getMethods(array $address = []): array
    {
        $this->load->language('extension/hundi/payment/hundi');
        $isReady = (new Site($this->registry))->settings()->wrongField() === '';
        $isKnown = isset(Operations::CURRENCIES[$this->session->data['currency'] ?? '']);
        // No interface of OpenCart tells a payment method when a subscription falls due.
        if (!$isReady || !$isKnown || $this->cart->hasSubscription()) {
            return [];
        }
        $name = $this->language->get('heading_title');
        return [
            'code' => 'hundi',
            'name' => $name,
            'option' => ['hundi' => ['code' => 'hundi.hundi', 'name' => $name]],
            'sort_order' => $this->config->get('payment_hundi_sort_order'),
        ];
    }
}
