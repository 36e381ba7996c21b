"""The plugin's addresses; the merchant's settings at the gateway name the last two."""

from django.urls import path

from hundi_oscar import views

app_name = "hundi"
urlpatterns = [
    path("pay/<str:number>/", views.pay, name="pay"),
    path("outcome/<str:number>/", views.outcome, name="outcome"),
    path("return/", views.take_return, name="return"),
    path("notification/", views.take_notification, name="notification"),
]
