module hundi.example/go

go 1.22
