"""The shop's addresses, and those of django-payments below /payments/."""

from django.contrib import admin
from django.urls import include, path

from shop import views

urlpatterns = [
    path("", views.shelf, name="shelf"),
    path("buy", views.buy, name="buy"),
    path("orders/<uuid:token>", views.order, name="order"),
    path("payments/", include("payments.urls")),
    path("admin/", admin.site.urls),
]
