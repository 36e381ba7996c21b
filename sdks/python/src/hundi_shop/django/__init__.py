"""Hundi in a shop made with Django. Add `hundi_shop.django` to INSTALLED_APPS, then migrate."""
