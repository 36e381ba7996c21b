"""The operations as methods of the synchronous client, written by `make clients`."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from hundi.wire.merchant import banks as banks_operations
from hundi.wire.merchant import links as links_operations
from hundi.wire.merchant import upi_address as upi_address_operations
from hundi.wire.merchant.banks import Bank, BanksRequest
from hundi.wire.merchant.links import LinkName, LinksBefore, NewPaymentLink, PaymentLink
from hundi.wire.merchant.upi_address import UpiAddress, ValidateVpaRequest
from hundi.wire.operation import Asked, Operation, Told


class Operations(ABC):
    """What a merchant can ask of the gateway, each operation once."""

    @abstractmethod
    def _operation(self, operation: Operation[Asked, Told], asked: Asked) -> Told:
        """Perform an operation."""

    def banks(self, channels: Sequence[str] = ()) -> tuple[Bank, ...]:
        """Get bank list (docs/spec/payment-interfaces.md#banks).

        Which banks to list. channels: codes of `chmod`, such as `nb`; empty for all.

        Safe to repeat.
        """
        return self._operation(banks_operations.BANKS, BanksRequest(channels=channels)).banks

    def validate_vpa(self, address: str) -> UpiAddress:
        """Validate UPI address (docs/spec/payment-interfaces.md#validatevpa).

        A UPI address to look up.

        Raises TooManyRequestsError: the gateway answers only so many of these.
        """
        return self._operation(upi_address_operations.VALIDATE, ValidateVpaRequest(address=address))

    def create_link(self, new: NewPaymentLink) -> PaymentLink:
        """Make a payment link (docs/spec/payment-interfaces.md#payment-links).

        Safe to repeat: the reference makes it one link.
        """
        return self._operation(links_operations.CREATE, new)

    def link(self, link_id: str = "", *, reference: str = "") -> PaymentLink:
        """Show a payment link (docs/spec/payment-interfaces.md#payment-links).

        Which payment link, by one of its names; both must agree.

        Safe to repeat.
        """
        return self._operation(links_operations.STATUS, LinkName(link_id=link_id, reference=reference))

    def links(self, *, before: str = "") -> tuple[PaymentLink, ...]:
        """List payment links (docs/spec/payment-interfaces.md#payment-links).

        Payment links, newest first. before: the last link_id that you have, for those that are older.
        """
        return self._operation(links_operations.LIST, LinksBefore(before=before)).links

    def cancel_link(self, link_id: str = "", *, reference: str = "") -> PaymentLink:
        """Cancel a payment link (docs/spec/payment-interfaces.md#payment-links).

        Which payment link, by one of its names; both must agree.

        For good; twice is one cancellation. Raises StateRefusedError (120) for one that is paid.
        """
        return self._operation(links_operations.CANCEL, LinkName(link_id=link_id, reference=reference))
