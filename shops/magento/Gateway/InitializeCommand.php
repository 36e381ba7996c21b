<?php

declare(strict_types=1);

namespace Hundi\Payments\Gateway;

use Magento\Payment\Gateway\CommandInterface;
use Magento\Sales\Model\Order;

/** A placed order waits for its payment; nobody is told of it before. */
class InitializeCommand implements CommandInterface
{
    /** @param array<string, mixed> $commandSubject */
    public function execute(array $commandSubject)
    {
        $commandSubject['payment']->getPayment()->getOrder()->setCanSendNewEmailFlag(false);
        $commandSubject['stateObject']
            ->setState(Order::STATE_PENDING_PAYMENT)
            ->setStatus(Order::STATE_PENDING_PAYMENT)
            ->setIsNotified(false);
        return null;
    }
}
