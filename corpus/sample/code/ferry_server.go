// Package main serves the timetable of the ferry Wren as JSON.
package main

import (
	"encoding/json"
	"log"
	"net/http"
)

type departure struct {
	From string `json:"from"`
	To   string `json:"to"`
	At   string `json:"at"`
}

var timetable = []departure{
	{"Kestrel Bay", "Saltmarsh", "07:10"},
	{"Saltmarsh", "Kestrel Bay", "08:25"},
	{"Kestrel Bay", "Saltmarsh", "17:40"},
}

func handleTimetable(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(timetable); err != nil {
		log.Printf("timetable: %v", err)
	}
}

func main() {
	http.HandleFunc("/timetable", handleTimetable)
	log.Fatal(http.ListenAndServe("localhost:8080", nil))
}
