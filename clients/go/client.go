// Package inventory is a client of the inventory service. It adds an API key, timeouts, retries, idempotency keys,
// pages, watches that resume, and errors with reasons to the generated clients of its services.
package inventory

import (
	"context"
	"net/http"
	"time"

	"connectrpc.com/connect"

	"inventory.example/client/gen/admin/v1/adminv1connect"
	"inventory.example/client/gen/catalog/v1/catalogv1connect"
	"inventory.example/client/gen/inventory/v1/inventoryv1connect"
	"inventory.example/client/gen/store/v1/storev1connect"
	usagev1 "inventory.example/client/gen/usage/v1"
	"inventory.example/client/gen/usage/v1/usagev1connect"
)

// Client is a client of the inventory service. It is safe for concurrent use.
type Client struct {
	// Inventory has the methods of inventory.v1.InventoryService.
	Inventory inventoryv1connect.InventoryServiceClient
	// Catalog has the methods of catalog.v1.CatalogService.
	Catalog catalogv1connect.CatalogServiceClient
	// Store has the methods of store.v1.StoreService.
	Store storev1connect.StoreServiceClient
	// Admin has the methods of admin.v1.AdminService, for keys with the scope admin.
	Admin adminv1connect.AdminServiceClient

	usage usagev1connect.UsageServiceClient
}

// Option changes a default of New.
type Option func(*options)

type options struct {
	key     func(context.Context) (string, error)
	http    connect.HTTPClient
	connect []connect.ClientOption
	policy  retryPolicy
}

// WithHTTPClient uses another HTTP client. The default is like http.DefaultClient, without a timeout.
func WithHTTPClient(client connect.HTTPClient) Option {
	return func(o *options) { o.http = client }
}

// WithConnectOptions adds options of connect-go, such as connect.WithGRPC().
func WithConnectOptions(more ...connect.ClientOption) Option {
	return func(o *options) { o.connect = append(o.connect, more...) }
}

// WithKeyFunc calls a function for the API key of every attempt, so that a key can be replaced while the program runs.
func WithKeyFunc(key func(context.Context) (string, error)) Option {
	return func(o *options) { o.key = key }
}

// WithTimeout limits calls whose context has no deadline, including all retries. The default is 30 s.
func WithTimeout(timeout time.Duration) Option {
	return func(o *options) { o.policy.timeout = timeout }
}

// WithAttemptTimeout limits each attempt. The default is 10 s.
func WithAttemptTimeout(timeout time.Duration) Option {
	return func(o *options) { o.policy.attemptTimeout = timeout }
}

// WithMaxRetries sets the number of retries after the first attempt. The default is 4; 0 turns retries off.
func WithMaxRetries(retries int) Option {
	return func(o *options) { o.policy.maxRetries = retries }
}

// New creates a client. It connects when it is used.
func New(baseURL, apiKey string, more ...Option) *Client {
	o := options{
		key:    func(context.Context) (string, error) { return apiKey, nil },
		http:   &http.Client{},
		policy: retryPolicy{timeout: 30 * time.Second, attemptTimeout: 10 * time.Second, maxRetries: 4},
	}
	for _, set := range more {
		set(&o)
	}
	// The first interceptor is the outermost: every retry asks for the key again.
	all := append(o.connect, connect.WithInterceptors(&retryInterceptor{o.policy}, &keyInterceptor{o.key}))
	return &Client{
		Inventory: inventoryv1connect.NewInventoryServiceClient(o.http, baseURL, all...),
		Catalog:   catalogv1connect.NewCatalogServiceClient(o.http, baseURL, all...),
		Store:     storev1connect.NewStoreServiceClient(o.http, baseURL, all...),
		Admin:     adminv1connect.NewAdminServiceClient(o.http, baseURL, all...),
		usage:     usagev1connect.NewUsageServiceClient(o.http, baseURL, all...),
	}
}

// Usage returns the limits of the account, what is left of them, and its requests in the last hour and the last 30 days.
func (c *Client) Usage(ctx context.Context) (*usagev1.GetUsageResponse, error) {
	return c.usage.GetUsage(ctx, &usagev1.GetUsageRequest{})
}

// keyInterceptor sends the API key.
type keyInterceptor struct {
	key func(context.Context) (string, error)
}

func (k *keyInterceptor) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, request connect.AnyRequest) (connect.AnyResponse, error) {
		key, err := k.key(ctx)
		if err != nil {
			return nil, err
		}
		request.Header().Set("Authorization", "Bearer "+key)
		return next(ctx, request)
	}
}

func (k *keyInterceptor) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return func(ctx context.Context, spec connect.Spec) connect.StreamingClientConn {
		conn := next(ctx, spec)
		// Without a key, the service refuses the call with a reason.
		if key, err := k.key(ctx); err == nil {
			conn.RequestHeader().Set("Authorization", "Bearer "+key)
		}
		return conn
	}
}

func (k *keyInterceptor) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return next
}
