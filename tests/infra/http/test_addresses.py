"""Which addresses may be called, in every way of writing them."""

import pytest

from hundi.infra.http.addresses import AddressRefusedError, check_ip, check_url

NEVER = """
    0.0.0.0 0.1.2.3 169.254.169.254 100.64.0.1 100.100.100.200 192.0.0.192 168.63.129.16 224.0.0.1
    255.255.255.255 240.0.0.1 198.18.0.1 192.0.2.1 :: fe80::1 fe80::1%eth0 fec0::1 ff02::1
    fd00:ec2::254
    2002:7f00:1:: 2001:0:1::1 ::ffff:169.254.169.254 ::ffff:0.0.0.0 64:ff9b::a9fe:a9fe 64:ff9b:1::1
    ::169.254.169.254
"""
PRIVATE = """
    127.0.0.1 127.255.0.1 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 ::1 fc00::1 fd12::1
    ::ffff:127.0.0.1
    ::ffff:10.0.0.1 64:ff9b::7f00:1 ::127.0.0.1
"""
PUBLIC = """
    8.8.8.8 172.32.0.1 100.128.0.1 2606:4700::1111 ::ffff:8.8.8.8 64:ff9b::808:808
"""


@pytest.mark.parametrize("address", NEVER.split())
def test_never(address: str) -> None:
    for allow in (False, True):
        with pytest.raises(AddressRefusedError):
            check_ip(address, allow_private=allow)


@pytest.mark.parametrize("address", PRIVATE.split())
def test_private_only_when_allowed(address: str) -> None:
    check_ip(address, allow_private=True)
    with pytest.raises(AddressRefusedError):
        check_ip(address, allow_private=False)


@pytest.mark.parametrize("address", PUBLIC.split())
def test_public(address: str) -> None:
    check_ip(address, allow_private=False)


@pytest.mark.parametrize(
    "url",
    [
        *["ftp://a/", "file:///etc/passwd", "gopher://a", "//a/b", "a/b", "http://", "http:///x"],
        *["http://u@a/", "http://u:p@a/", "http://:p@a/"],
        *["http://a:0/", "http://a:99999/", "http://a:x/", "http://[::1", "javascript:alert(1)"],
        "",
        "http://a b/",
        "http://a/\r\nHost: b",
        "http://a\\@b/",
        "http://a/" + "x" * 2048,
    ],
)
def test_forms_refused(url: str) -> None:
    with pytest.raises(AddressRefusedError):
        check_url(url)


def test_forms_read() -> None:
    assert check_url("https://shop.example/ipn?x=1") == ("shop.example", 443)
    assert check_url("http://shop.example:8443/") == ("shop.example", 8443)
    assert check_url("http://[2606:4700::1111]/") == ("2606:4700::1111", 80)
