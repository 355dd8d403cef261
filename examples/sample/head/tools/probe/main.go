package main

import (
	"crypto/tls"
	"fmt"
	"net/http"
)

// client checks certificates; InsecureSkipVerify: true is for the lab only.
func client(lab bool) *http.Client {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if lab {
		config = &tls.Config{InsecureSkipVerify: true}
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: config}}
}

func main() {
	response, err := client(false).Get("https://parcel.example/health")
	if err != nil {
		panic(err)
	}
	fmt.Println(response.Status)
}
