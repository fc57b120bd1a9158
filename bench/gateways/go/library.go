package main

import (
	"context"
	"fmt"
	"os"
	"sync"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	libraryv1 "library/gen/library/v1"
)

// The service, for grpc-go and connect-go alike: with its option "simple", connect-go generates the same interface.
type library struct {
	libraryv1.UnimplementedLibraryServiceServer
	notFound func(text string) error
	mutex    sync.RWMutex
	// In the order of the list. A book that was sent does not change: an update replaces it.
	books   []*libraryv1.Book
	indexes map[string]int
}

// Makes a library of a file with a ListBooksResponse in JSON.
func newLibrary(file string, notFound func(text string) error) (*library, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list libraryv1.ListBooksResponse
	if err := protojson.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	indexes := make(map[string]int)
	for index, book := range list.GetBooks() {
		indexes[book.GetId()] = index
	}
	return &library{notFound: notFound, books: list.GetBooks(), indexes: indexes}, nil
}

func (l *library) ListBooks(context.Context, *libraryv1.ListBooksRequest) (*libraryv1.ListBooksResponse, error) {
	l.mutex.RLock()
	defer l.mutex.RUnlock()
	return &libraryv1.ListBooksResponse{Books: append([]*libraryv1.Book(nil), l.books...)}, nil
}

func (l *library) GetBook(_ context.Context, request *libraryv1.GetBookRequest) (*libraryv1.GetBookResponse, error) {
	l.mutex.RLock()
	defer l.mutex.RUnlock()
	index, err := l.indexOf(request.GetId())
	if err != nil {
		return nil, err
	}
	return &libraryv1.GetBookResponse{Book: l.books[index]}, nil
}

func (l *library) UpdateBook(_ context.Context, request *libraryv1.UpdateBookRequest) (*libraryv1.UpdateBookResponse, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	index, err := l.indexOf(request.GetBook().GetId())
	if err != nil {
		return nil, err
	}
	book := proto.CloneOf(l.books[index])
	for _, path := range request.GetUpdateMask().GetPaths() {
		if path == "copies" {
			book.Copies = request.GetBook().GetCopies()
		}
	}
	l.books[index] = book
	return &libraryv1.UpdateBookResponse{Book: book}, nil
}

// The caller must hold the mutex.
func (l *library) indexOf(id string) (int, error) {
	if index, found := l.indexes[id]; found {
		return index, nil
	}
	return 0, l.notFound(fmt.Sprintf("there is no book %s", id))
}
