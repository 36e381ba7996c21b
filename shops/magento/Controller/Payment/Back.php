<?php

declare(strict_types=1);

namespace Hundi\Payments\Controller\Payment;

use Hundi\Payments\Model\Order;
use Hundi\Payments\Model\Site;
use Magento\Framework\App\Request\Http;
use Magento\Framework\Controller\Result\RawFactory;
use Magento\Framework\Controller\Result\RedirectFactory;
use Magento\Framework\Controller\ResultInterface;

/** Takes the customer back. The browser then comes with GET, so that it brings the shop's cookies. */
class Back extends FromElsewhere
{
    private const SEE_OTHER = 303;
    private const BAD_REQUEST = 400;

    public function __construct(
        private readonly Site $site,
        private readonly Http $request,
        private readonly RawFactory $raw,
        private readonly RedirectFactory $redirect,
    ) {
    }

    public function execute(): ResultInterface
    {
        $form = array_map(strval(...), array_filter($this->request->getPostValue(), is_scalar(...)));
        $order = $this->site->desk()->takeReturn($form);
        if (!$order instanceof Order) {
            $text = __('We could not read what came back. If you have paid, your order will be confirmed as soon as the gateway tells us.');
            return $this->raw->create()->setHttpResponseCode(self::BAD_REQUEST)->setContents(htmlspecialchars((string) $text));
        }
        $path = $order->sale->isCanceled() ? 'hundi/payment/unpaid' : 'checkout/onepage/success';
        return $this->redirect->create()->setHttpResponseCode(self::SEE_OTHER)->setPath($path);
    }
}
