<?php

declare(strict_types=1);

namespace Hundi\Payments\Controller\Payment;

use Hundi\Payments\Model\Site;
use Magento\Framework\App\Request\Http;
use Magento\Framework\Controller\Result\RawFactory;
use Magento\Framework\Controller\ResultInterface;

/** Takes a notification. */
class Notification extends FromElsewhere
{
    public function __construct(
        private readonly Site $site,
        private readonly Http $request,
        private readonly RawFactory $raw,
    ) {
    }

    public function execute(): ResultInterface
    {
        $headers = [];
        foreach ($this->request->getHeaders() as $header) {
            $headers[$header->getFieldName()] = $header->getFieldValue();
        }
        $status = $this->site->desk()->takeNotification($headers, (string) $this->request->getContent());
        return $this->raw->create()->setHttpResponseCode($status)->setContents('');
    }
}
