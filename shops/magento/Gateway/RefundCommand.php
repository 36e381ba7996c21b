<?php

declare(strict_types=1);

namespace Hundi\Payments\Gateway;

use Hundi\HundiException;
use Hundi\Payments\Model\Order;
use Hundi\Payments\Model\Site;
use Hundi\Shop\Busy;
use Hundi\Shop\Refunds;
use Magento\Payment\Gateway\Command\CommandException;
use Magento\Payment\Gateway\CommandInterface;

/** Refunds a credit memo that staff make online. */
class RefundCommand implements CommandInterface
{
    public function __construct(private readonly Site $site)
    {
    }

    /** @param array<string, mixed> $commandSubject */
    public function execute(array $commandSubject)
    {
        $payment = $commandSubject['payment']->getPayment();
        // Magento names the amount in the shop's own currency; the customer paid in the order's.
        $paise = Order::paise($payment->getCreditmemo()->getGrandTotal());
        $desk = $this->site->desk();
        try {
            $refund = (new Refunds($desk))->refund(new Order($payment->getOrder()), $paise);
        } catch (HundiException | Busy $error) {
            throw new CommandException(__($desk->settings->told($error)), $error);
        }
        $payment->setTransactionId("refund-$refund");
        $payment->setIsTransactionClosed(true);
        return null;
    }
}
