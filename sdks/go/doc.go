// Package hundi is a merchant's SDK of the Hundi payment gateway: it starts payments, checks what
// the gateway tells a shop, and asks for the state of a payment.
package hundi
