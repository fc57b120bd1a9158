// The inventory in Go with its usual libraries: grpc-go behind grpc-gateway, go-redis, redis_rate.
//
// PORT serves JSON over HTTP, GRPC_PORT gRPC.
package main

import (
	"context"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"github.com/redis/go-redis/v9"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	inventoryv1 "inventory-gateway/gen/inventory/v1"
)

func main() {
	options, err := redis.ParseURL(os.Getenv("REDIS_URL"))
	if err != nil {
		log.Fatal(err)
	}
	client := redis.NewClient(options)
	admission := newAdmission(client)
	inventory := &inventoryServer{redis: client}

	grpcAddress := "127.0.0.1:" + os.Getenv("GRPC_PORT")
	listener, err := net.Listen("tcp", grpcAddress)
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer(grpc.UnaryInterceptor(admission.intercept))
	inventoryv1.RegisterInventoryServiceServer(server, inventory)
	go func() { log.Fatal(server.Serve(listener)) }()

	handler, err := gateway(grpcAddress)
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), handler))
}

func gateway(grpcAddress string) (http.Handler, error) {
	mux := runtime.NewServeMux(runtime.WithOutgoingHeaderMatcher(func(name string) (string, bool) {
		return name, true
	}))
	credentials := grpc.WithTransportCredentials(insecure.NewCredentials())
	return mux, inventoryv1.RegisterInventoryServiceHandlerFromEndpoint(context.Background(), mux, grpcAddress, []grpc.DialOption{credentials})
}
