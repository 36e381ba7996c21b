package hundi

import (
	"html/template"
	"strings"
)

// Page has the texts of the document that takes a customer to the payment page. Nonce is that of
// your Content-Security-Policy, for the one inline script.
type Page struct {
	Nonce, Title, Button string
}

// The policy "origin" shows the gateway which shop sent the customer, but no private page.
var document = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="origin">
<title>{{.Page.Title}}</title>
</head>
<body>
<form id="hundi-payment" method="post" action="{{.Form.ActionURL}}" accept-charset="utf-8">
{{range $name, $values := .Form.Fields}}{{range $values}}<input type="hidden" name="{{$name}}" value="{{.}}">
{{end}}{{end}}<p>{{.Page.Title}}…</p>
<button type="submit">{{.Page.Button}}</button>
</form>
<script{{with .Page.Nonce}} nonce="{{.}}"{{end}}>document.getElementById("hundi-payment").submit()</script>
</body>
</html>
`))

// HTML returns a whole page that submits itself, with a button where scripts are off.
func (f PaymentForm) HTML(page Page) (string, error) {
	if page.Title == "" {
		page.Title = "Going to the payment page"
	}
	if page.Button == "" {
		page.Button = "Continue to pay"
	}
	var built strings.Builder
	err := document.Execute(&built, map[string]any{"Form": f, "Page": page})
	return built.String(), err
}
