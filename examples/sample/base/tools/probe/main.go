package main

import (
	"fmt"
	"net/http"
)

func main() {
	response, err := http.Get("https://parcel.example/health")
	if err != nil {
		panic(err)
	}
	fmt.Println(response.Status)
}
