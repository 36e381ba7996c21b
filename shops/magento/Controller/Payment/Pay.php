<?php

declare(strict_types=1);

namespace Hundi\Payments\Controller\Payment;

use Hundi\HundiException;
use Hundi\Payments\Model\Order;
use Hundi\Payments\Model\Site;
use Hundi\Shop\Busy;
use Magento\Checkout\Model\Session;
use Magento\Framework\App\Action\HttpGetActionInterface;
use Magento\Framework\Controller\Result\RawFactory;
use Magento\Framework\Controller\Result\RedirectFactory;
use Magento\Framework\Controller\ResultInterface;
use Magento\Framework\Message\ManagerInterface;

/** Sends the customer of the order that was just placed to the payment page. */
class Pay implements HttpGetActionInterface
{
    public function __construct(
        private readonly Site $site,
        private readonly Session $session,
        private readonly RawFactory $raw,
        private readonly RedirectFactory $redirect,
        private readonly ManagerInterface $messages,
    ) {
    }

    public function execute(): ResultInterface
    {
        $sale = $this->session->getLastRealOrder();
        if (!$sale->getId() || $sale->isCanceled() || $sale->getPayment()->getMethod() !== Site::METHOD) {
            return $this->redirect->create()->setPath('checkout/cart');
        }
        $order = new Order($sale);
        $desk = $this->site->desk();
        try {
            $form = $order->isPaid() ? null : $desk->begin($order);
        } catch (HundiException | Busy $error) {
            $this->site->log("Order {$order->id()}: {$desk->settings->told($error)}");
            $this->messages->addErrorMessage(__('The payment page cannot be reached. Nothing was charged; please try again.'));
            return $this->redirect->create()->setPath('hundi/payment/unpaid');
        }
        if ($form === null) {
            return $this->redirect->create()->setPath('checkout/onepage/success');
        }
        return $this->raw->create()
            ->setHeader('Cache-Control', 'no-store', true)
            ->setHeader('Referrer-Policy', 'origin', true)
            ->setContents($form->html('', (string) __('Going to the payment page'), (string) __('Continue to pay')));
    }
}
