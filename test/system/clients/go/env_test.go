// Package clients calls a running inventory service with clients generated from its contract.
//
// The environment variables INVENTORY_* describe the service and its data. `npm run task clients`
// sets them.
package clients

import (
	"os"
	"strconv"
	"testing"
)

func env(t testing.TB, name string) string {
	t.Helper()
	value, found := os.LookupEnv("INVENTORY_" + name)
	if !found {
		t.Fatalf("INVENTORY_%s is not set: run `npm run task clients`", name)
	}
	return value
}

func envInt(t testing.TB, name string) int64 {
	t.Helper()
	value, err := strconv.ParseInt(env(t, name), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}
