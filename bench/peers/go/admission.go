package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

var (
	perMinute = redis_rate.Limit{Rate: 1_000_000, Burst: 1_000_000, Period: time.Minute}
	perDay    = redis_rate.Limit{Rate: 1_000_000_000, Burst: 1_000_000_000, Period: 24 * time.Hour}
)

// Looks up a bearer key in Redis and counts its request in two windows.
type admission struct {
	redis   *redis.Client
	limiter *redis_rate.Limiter
}

func newAdmission(client *redis.Client) *admission {
	return &admission{redis: client, limiter: redis_rate.NewLimiter(client)}
}

// Returns the limit headers, or an error with a gRPC status.
func (a *admission) admit(ctx context.Context, authorization string) (map[string]string, error) {
	secret, found := strings.CutPrefix(authorization, "Bearer ")
	if !found {
		return nil, status.Error(codes.Unauthenticated, "no key")
	}
	hash := sha256.Sum256([]byte(secret))
	account, err := a.redis.Get(ctx, "peer:key:"+hex.EncodeToString(hash[:])).Result()
	if err != nil {
		return nil, status.Error(codes.Unauthenticated, "no such key")
	}
	minute, err := a.limiter.Allow(ctx, "minute:"+account, perMinute)
	if err != nil {
		return nil, status.Error(codes.Unavailable, "no store")
	}
	day, err := a.limiter.Allow(ctx, "day:"+account, perDay)
	if err != nil {
		return nil, status.Error(codes.Unavailable, "no store")
	}
	if minute.Allowed == 0 || day.Allowed == 0 {
		return nil, status.Error(codes.ResourceExhausted, "too many requests")
	}
	return map[string]string{
		"x-ratelimit-limit":     strconv.Itoa(perMinute.Burst),
		"x-ratelimit-remaining": strconv.Itoa(minute.Remaining),
		"x-ratelimit-reset":     strconv.Itoa(int(math.Ceil(minute.ResetAfter.Seconds()))),
	}, nil
}

func (a *admission) intercept(ctx context.Context, request any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	var authorization string
	if values := metadata.ValueFromIncomingContext(ctx, "authorization"); len(values) > 0 {
		authorization = values[0]
	}
	limits, err := a.admit(ctx, authorization)
	if err != nil {
		return nil, err
	}
	if err := grpc.SetHeader(ctx, metadata.New(limits)); err != nil {
		return nil, err
	}
	return next(ctx, request)
}
