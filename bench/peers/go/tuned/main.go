// The inventory in Go without a gateway, tuned: grpc-go and net/http call the same code.
//
// PORT serves JSON over HTTP, GRPC_PORT gRPC.
package main

import (
	"log"
	"net"
	"net/http"
	"os"

	"github.com/redis/rueidis"
	"google.golang.org/grpc"

	inventoryv1 "inventory-gateway/gen/inventory/v1"
)

const (
	// As many goroutines serve gRPC calls without growing a stack for each call.
	streamWorkers = 128
	// Windows of a fixed size. Otherwise grpc-go sends pings to estimate the bandwidth.
	windowBytes = 1 << 20
)

func main() {
	options, err := rueidis.ParseURL(os.Getenv("REDIS_URL"))
	if err != nil {
		log.Fatal(err)
	}
	// One connection, so that script calls share system calls.
	options.PipelineMultiplex = -1
	client, err := rueidis.NewClient(options)
	if err != nil {
		log.Fatal(err)
	}
	inventory := newInventory(client)

	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("GRPC_PORT"))
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer(
		grpc.ForceServerCodecV2(newCodec(inventory)),
		grpc.NumStreamWorkers(streamWorkers),
		grpc.InitialWindowSize(windowBytes),
		grpc.InitialConnWindowSize(windowBytes),
	)
	inventoryv1.RegisterInventoryServiceServer(server, &grpcServer{inventory: inventory})
	go func() { log.Fatal(server.Serve(listener)) }()

	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), newHandler(inventory)))
}
