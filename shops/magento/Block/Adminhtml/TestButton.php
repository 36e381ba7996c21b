<?php

declare(strict_types=1);

namespace Hundi\Payments\Block\Adminhtml;

use Magento\Config\Block\System\Config\Form\Field;
use Magento\Framework\Data\Form\Element\AbstractElement;
use Magento\Framework\UrlInterface;

/** The button that tests the connection, and the addresses for the gateway's console. */
class TestButton extends Field
{
    protected function _getElementHtml(AbstractElement $element)
    {
        $base = rtrim($this->_storeManager->getStore()->getBaseUrl(UrlInterface::URL_TYPE_LINK, true), '/');
        $lines = '';
        foreach (['Success and failure address' => 'back', 'Notification address' => 'notification'] as $label => $action) {
            $lines .= '<p>' . $this->escapeHtml(__($label)) . ": <code>" . $this->escapeHtml("$base/hundi/payment/$action") . '</code></p>';
        }
        $address = $this->escapeUrl($this->getUrl('hundi/connection/test'));
        return "<a class=\"action-default\" href=\"$address\">" . $this->escapeHtml(__('Test the saved connection')) . "</a>$lines";
    }
}
