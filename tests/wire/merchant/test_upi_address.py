"""UPI addresses: how they are written, and what is said of one."""

import pytest

from hundi.wire.fields import FieldError
from hundi.wire.merchant.upi_address import UpiAddress, ValidateVpaRequest
from hundi.wire.message import read_request, write_reply
from hundi.wire.parts import Values


@pytest.mark.parametrize(
    ("values", "vpa"),
    [
        ({"vpa": "asha@okaxis"}, "asha@okaxis"),
        ({"customer_vpa": "asha@okaxis"}, "asha@okaxis"),
        ({"vpa": "", "customer_vpa": "asha@okaxis"}, "asha@okaxis"),
        ({"vpa": " Asha.K-1_2@OkAxis "}, "asha.k-1_2@okaxis"),
        ({"vpa": "9876543210@ybl"}, "9876543210@ybl"),
        ({"vpa": "ab@s2b"}, "ab@s2b"),
        ({"vpa": "ab@unheardofhandle"}, "ab@unheardofhandle"),
        ({"vpa": "x" * 251 + "@upi"}, "x" * 251 + "@upi"),
        ({"vpa": "ab@" + "h" * 64}, "ab@" + "h" * 64),
    ],
)
def test_upi_addresses(values: Values, vpa: str) -> None:
    assert read_request(ValidateVpaRequest, values) == ValidateVpaRequest(address=vpa)


@pytest.mark.parametrize(
    "vpa",
    [
        *(
            "",
            " ",
            "asha",
            "@upi",
            "asha@",
            "a@upi",
            ".asha@upi",
            "-a@upi",
            "as ha@upi",
            "as#ha@upi",
            "asha@upi@upi",
        ),
        *(
            "asha@1upi",
            "asha@u",
            "asha@ok-axis",
            "asha@ok.axis",
            "ॐॐ@upi",
            "asha@upi\nx",
            "x" * 252 + "@upi",
        ),
        "ab@" + "h" * 65,
    ],
)
def test_malformed_upi_addresses_are_errors(vpa: str) -> None:
    with pytest.raises(FieldError) as caught:
        read_request(ValidateVpaRequest, {"vpa": vpa})
    assert caught.value.field == "vpa"


def test_what_is_said_of_an_address() -> None:
    known = UpiAddress(
        address="asha@okaxis", is_registered=True, name="ASHA RAO", status="200", message="Known"
    )
    assert write_reply(known) == {
        "vpa": "asha@okaxis",
        "valid": "true",
        "vpa_name": "ASHA RAO",
        "status": "200",
        "message": "Known",
    }
