<?php

declare(strict_types=1);

namespace Hundi\Payments\Controller\Payment;

use Magento\Checkout\Model\Session;
use Magento\Framework\App\Action\HttpGetActionInterface;
use Magento\Framework\Controller\Result\RedirectFactory;
use Magento\Framework\Controller\ResultInterface;
use Magento\Framework\Message\ManagerInterface;

/** Gives the customer the cart again. */
class Unpaid implements HttpGetActionInterface
{
    public function __construct(
        private readonly Session $session,
        private readonly RedirectFactory $redirect,
        private readonly ManagerInterface $messages,
    ) {
    }

    public function execute(): ResultInterface
    {
        if ($this->session->restoreQuote()) {
            $this->messages->addErrorMessage(__('The payment did not succeed. You can try again.'));
        }
        return $this->redirect->create()->setPath('checkout/cart');
    }
}
