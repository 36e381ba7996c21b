// Shows Hundi in the checkout made of blocks; the order itself is placed by WooCommerce.
(function () {
    const { registerPaymentMethod } = window.wc.wcBlocksRegistry;
    const { createElement } = window.wp.element;
    const { decodeEntities } = window.wp.htmlEntities;
    const settings = window.wc.wcSettings.getPaymentMethodData('hundi', {});
    const title = decodeEntities(settings.title || 'Hundi');
    const Description = () => decodeEntities(settings.description || '');
    const Label = ({ components }) => createElement(components.PaymentMethodLabel, { text: title });

    registerPaymentMethod({
        name: 'hundi',
        label: createElement(Label),
        content: createElement(Description),
        edit: createElement(Description),
        ariaLabel: title,
        canMakePayment: () => true,
        supports: { features: settings.supports || ['products'] },
    });
})();
