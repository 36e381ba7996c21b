<?php

declare(strict_types=1);

namespace Hundi\Payments\Controller\Adminhtml\Connection;

use Hundi\Payments\Model\Site;
use Hundi\Shop\ConnectionTest;
use Magento\Backend\App\Action;
use Magento\Backend\App\Action\Context;
use Magento\Framework\Controller\ResultInterface;

/** Tests the saved connection, and goes back to the settings. */
class Test extends Action
{
    public const ADMIN_RESOURCE = 'Magento_Payment::payment';

    public function __construct(Context $context, private readonly Site $site)
    {
        parent::__construct($context);
    }

    public function execute(): ResultInterface
    {
        $problem = ConnectionTest::problem($this->site->settings());
        if ($problem === '') {
            $this->messageManager->addSuccessMessage(__('The connection works.'));
        } else {
            $this->messageManager->addErrorMessage($problem);
        }
        return $this->resultRedirectFactory->create()->setPath('adminhtml/system_config/edit', ['section' => 'payment']);
    }
}
