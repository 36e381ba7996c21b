define(['Magento_Checkout/js/view/payment/default'], function (Component) {
    'use strict';

    return Component.extend({
        defaults: { template: 'Hundi_Payments/payment/hundi' },
        redirectAfterPlaceOrder: false,

        /** The order is placed: the customer goes to the payment page. */
        afterPlaceOrder: function () {
            window.location.replace(window.checkoutConfig.payment.hundi.pay);
        },
    });
});
