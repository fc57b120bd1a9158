// The library in Go, by the name of a peer: vanguard, grpc-gateway, grpc-gateway-in-process, or grpc, which Envoy needs.
//
// PORT serves HTTP, GRPC_PORT gRPC. Vanguard serves both on PORT.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"

	"connectrpc.com/connect"
	"connectrpc.com/vanguard"
	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/grpclog"
	"google.golang.org/grpc/status"

	libraryv1 "library/gen/library/v1"
	"library/gen/library/v1/libraryv1connect"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: library PEER")
	}
	// The end of a load breaks connections, which grpc-gateway logs.
	grpclog.SetLoggerV2(grpclog.NewLoggerV2(io.Discard, io.Discard, io.Discard))
	log.Fatal(serve(os.Args[1]))
}

func serve(peer string) error {
	address, grpcAddress := "127.0.0.1:"+os.Getenv("PORT"), "127.0.0.1:"+os.Getenv("GRPC_PORT")
	notFound := func(text string) error { return status.Error(codes.NotFound, text) }
	if peer == "vanguard" {
		notFound = func(text string) error { return connect.NewError(connect.CodeNotFound, errors.New(text)) }
	}
	library, err := newLibrary(os.Getenv("BOOKS_FILE"), notFound)
	if err != nil {
		return err
	}
	switch peer {
	case "vanguard":
		return serveVanguard(address, library)
	case "grpc":
		return serveGrpc(grpcAddress, library)
	case "grpc-gateway":
		go func() { log.Fatal(serveGrpc(grpcAddress, library)) }()
		mux := runtime.NewServeMux()
		credentials := grpc.WithTransportCredentials(insecure.NewCredentials())
		if err := libraryv1.RegisterLibraryServiceHandlerFromEndpoint(context.Background(), mux, grpcAddress, []grpc.DialOption{credentials}); err != nil {
			return err
		}
		return http.ListenAndServe(address, mux)
	case "grpc-gateway-in-process":
		mux := runtime.NewServeMux()
		if err := libraryv1.RegisterLibraryServiceHandlerServer(context.Background(), mux, library); err != nil {
			return err
		}
		return http.ListenAndServe(address, mux)
	default:
		return fmt.Errorf("there is no peer %q", peer)
	}
}

// Vanguard in front of a handler of connect-go, as its documentation recommends.
func serveVanguard(address string, library *library) error {
	transcoder, err := vanguard.NewTranscoder([]*vanguard.Service{
		vanguard.NewService(libraryv1connect.NewLibraryServiceHandler(library)),
	})
	if err != nil {
		return err
	}
	server := &http.Server{Addr: address, Handler: transcoder, Protocols: new(http.Protocols)}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	return server.ListenAndServe()
}

func serveGrpc(address string, library *library) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	libraryv1.RegisterLibraryServiceServer(server, library)
	return server.Serve(listener)
}
