define(['uiComponent', 'Magento_Checkout/js/model/payment/renderer-list'], function (Component, renderers) {
    'use strict';

    renderers.push({ type: 'hundi', component: 'Hundi_Payments/js/view/payment/method-renderer/hundi-method' });
    return Component.extend({});
});
