package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// The most bytes of a request body.
const maxBody = 4_096

// The values of headers that are the same in all responses.
var (
	jsonType  = []string{"application/json"}
	limitText = []string{strconv.Itoa(perMinute)}
)

var httpStatuses = map[codes.Code]int{
	codes.Unauthenticated:   http.StatusUnauthorized,
	codes.ResourceExhausted: http.StatusTooManyRequests,
	codes.InvalidArgument:   http.StatusBadRequest,
	codes.NotFound:          http.StatusNotFound,
	codes.Unavailable:       http.StatusServiceUnavailable,
	codes.Internal:          http.StatusInternalServerError,
}

// Serves JSON over HTTP.
type httpServer struct {
	inventory *inventory
}

func newHandler(inventory *inventory) http.Handler {
	server := httpServer{inventory}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/inventory", server.list)
	mux.HandleFunc("PATCH /v1/inventory/{petId}", server.update)
	return mux
}

func (s httpServer) list(response http.ResponseWriter, request *http.Request) {
	list, limits, err := s.inventory.list(request.Header.Get("Authorization"))
	if err != nil {
		fail(response, err)
		return
	}
	header := responseHeader(response, limits)
	header["Content-Length"] = list.length
	response.Write(list.json)
}

func (s httpServer) update(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBody))
	if err != nil {
		fail(response, errArgument)
		return
	}
	var update struct {
		Quantity *int32 `json:"quantity"`
	}
	petID, err := strconv.ParseInt(request.PathValue("petId"), 10, 64)
	if err != nil || json.Unmarshal(body, &update) != nil {
		fail(response, errArgument)
		return
	}
	item, limits, err := s.inventory.update(request.Header.Get("Authorization"), petID, update.Quantity)
	if err != nil {
		fail(response, err)
		return
	}
	responseHeader(response, limits)
	response.Write(appendItem(make([]byte, 0, 96), item))
}

func responseHeader(response http.ResponseWriter, limits limits) http.Header {
	header := response.Header()
	header["Content-Type"] = jsonType
	header["X-Ratelimit-Limit"] = limitText
	header["X-Ratelimit-Remaining"], header["X-Ratelimit-Reset"] = limits.values()
	return header
}

func fail(response http.ResponseWriter, err error) {
	known := status.Convert(err)
	response.Header()["Content-Type"] = jsonType
	response.WriteHeader(httpStatuses[known.Code()])
	json.NewEncoder(response).Encode(map[string]string{"message": known.Message()})
}
