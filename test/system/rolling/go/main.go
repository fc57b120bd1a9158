// Calls a method with grpc-go until standard input ends, and prints the outcome of the calls.
package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
)

// Number of concurrent calls, and the timeout of each.
const (
	workers  = 8
	deadline = 10 * time.Second
)

// bytesCodec passes messages on unchanged.
type bytesCodec struct{}

func (bytesCodec) Marshal(v any) ([]byte, error)      { return v.([]byte), nil }
func (bytesCodec) Unmarshal(data []byte, v any) error { *v.(*[]byte) = data; return nil }
func (bytesCodec) Name() string                       { return "proto" }

func main() {
	request, err := hex.DecodeString(os.Getenv("REQUEST"))
	if err != nil {
		panic(err)
	}
	// The pause after each call.
	pause, err := time.ParseDuration(os.Getenv("PAUSE_MS") + "ms")
	if err != nil {
		panic(err)
	}
	var state resolver.State
	for _, address := range strings.Split(os.Getenv("ADDRESSES"), ",") {
		state.Addresses = append(state.Addresses, resolver.Address{Addr: address})
	}
	servers := manual.NewBuilderWithScheme("rolling")
	servers.InitialState(state)
	conn, err := grpc.NewClient("rolling:///servers",
		grpc.WithResolvers(servers),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(`{"loadBalancingConfig":[{"round_robin":{}}]}`),
		// Reconnects at once to a restarted server, with the default timeout for a new connection.
		grpc.WithConnectParams(grpc.ConnectParams{MinConnectTimeout: 20 * time.Second}),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(bytesCodec{})),
	)
	if err != nil {
		panic(err)
	}

	stop := make(chan struct{})
	go func() {
		io.Copy(io.Discard, bufio.NewReader(os.Stdin))
		close(stop)
	}()
	var mutex sync.Mutex
	var group sync.WaitGroup
	result := struct {
		Ok   int      `json:"ok"`
		Lost []string `json:"lost"`
	}{Lost: []string{}}
	call := func() {
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", os.Getenv("AUTHORIZATION"), "x-request-id", os.Getenv("NAME"))
		var response []byte
		err := conn.Invoke(ctx, os.Getenv("METHOD"), request, &response)
		mutex.Lock()
		defer mutex.Unlock()
		if err == nil {
			result.Ok++
		} else {
			result.Lost = append(result.Lost, err.Error())
		}
	}
	for range workers {
		group.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(pause):
					call()
				}
			}
		})
	}
	group.Wait()
	json.NewEncoder(os.Stdout).Encode(result)
}
