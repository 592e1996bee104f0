module surety.example/surety-go

go 1.19
