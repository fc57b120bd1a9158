// Code generated from src/contract/catalogue.ts by clients/generate-reasons.ts. DO NOT EDIT.

package inventory

// Reasons why the service refuses calls.
const (
	// No API key was sent.
	KeyMissing Reason = "KEY_MISSING"
	// The API key is malformed, or no such key exists.
	KeyInvalid Reason = "KEY_INVALID"
	// The API key was revoked.
	KeyRevoked Reason = "KEY_REVOKED"
	// The API key has expired.
	KeyExpired Reason = "KEY_EXPIRED"
	// An operator has disabled the account of the API key.
	AccountDisabled Reason = "ACCOUNT_DISABLED"
	// The API key lacks a scope that the operation needs.
	ScopeMissing Reason = "SCOPE_MISSING"
	// The API key cannot be used from the client's address.
	AddressNotAllowed Reason = "ADDRESS_NOT_ALLOWED"
	// The account's limit per minute or per day is reached.
	RateLimited Reason = "RATE_LIMITED"
	// The batch counts as more requests than the account's limit. Do not retry it: send fewer items at once.
	BatchOverLimit Reason = "BATCH_OVER_LIMIT"
	// The API key is banned for some time because it repeated refused requests without waiting.
	KeyBanned Reason = "KEY_BANNED"
	// Too many requests without a valid API key came from the client's address.
	AddressLimited Reason = "ADDRESS_LIMITED"
	// The account would have too many open orders. Nothing was changed. Cancel some, or have some delivered, first.
	OrderLimitReached Reason = "ORDER_LIMIT_REACHED"
	// The account has the maximum number of active holds. Confirm or release one first.
	HoldLimitReached Reason = "HOLD_LIMIT_REACHED"
	// The client of a watch is too many changes behind, because it reads too slowly.
	WatchTooSlow Reason = "WATCH_TOO_SLOW"
	// The API key (MAX_WATCHES_PER_KEY) or the account (MAX_WATCHES_PER_ACCOUNT) has too many open watches. Close one first.
	WatchLimitReached Reason = "WATCH_LIMIT_REACHED"
	// The pet is not in the inventory.
	PetNotFound Reason = "PET_NOT_FOUND"
	// The account does not have this order.
	OrderNotFound Reason = "ORDER_NOT_FOUND"
	// The account does not have this hold.
	HoldNotFound Reason = "HOLD_NOT_FOUND"
	// The account does not exist.
	AccountNotFound Reason = "ACCOUNT_NOT_FOUND"
	// The API key does not exist.
	KeyNotFound Reason = "KEY_NOT_FOUND"
	// A health check names an unknown service.
	ServiceUnknown Reason = "SERVICE_UNKNOWN"
	// The pet is in the inventory already.
	PetExists Reason = "PET_EXISTS"
	// Another pet has the SKU.
	SkuTaken Reason = "SKU_TAKEN"
	// The pet cannot be removed while units of it are held.
	PetHeld Reason = "PET_HELD"
	// The hold is confirmed, was released or has expired, so the call is not possible.
	HoldEnded Reason = "HOLD_ENDED"
	// An API key cannot disable or delete its own account. Use a key of another account.
	OwnAccount Reason = "OWN_ACCOUNT"
	// The stock is smaller than the quantity to be removed.
	StockTooSmall Reason = "STOCK_TOO_SMALL"
	// The stock would exceed the largest quantity, 2147483647.
	StockTooLarge Reason = "STOCK_TOO_LARGE"
	// Fewer units were counted than are held. Release holds, or count again.
	CountBelowHeld Reason = "COUNT_BELOW_HELD"
	// The order's status does not allow the change.
	OrderStatus Reason = "ORDER_STATUS"
	// The API key to be rotated was revoked or has expired.
	KeyNotValid Reason = "KEY_NOT_VALID"
	// The account has the maximum number of API keys. Revoke one first.
	TooManyKeys Reason = "TOO_MANY_KEYS"
	// The version does not match the conditions of the request, such as If-Match.
	VersionMismatch Reason = "VERSION_MISMATCH"
	// The item's quantity is not the expected one. Over HTTP, a count has the status 412.
	QuantityMismatch Reason = "QUANTITY_MISMATCH"
	// Another request with the same idempotency key is in progress.
	IdempotencyKeyInUse Reason = "IDEMPOTENCY_KEY_IN_USE"
	// The account's write policy is strict: the request must say which version or quantity it expects.
	ConditionRequired Reason = "CONDITION_REQUIRED"
	// The account's write policy is strict: the request needs an idempotency key.
	IdempotencyKeyRequired Reason = "IDEMPOTENCY_KEY_REQUIRED"
	// The idempotency key was used with another request in the last 24 hours.
	IdempotencyKeyReused Reason = "IDEMPOTENCY_KEY_REUSED"
	// Too many health watches are open. gRPC clients then treat the server as healthy.
	HealthWatchLimitReached Reason = "HEALTH_WATCH_LIMIT_REACHED"
	// The database cannot be reached, or does not respond in time. Retry later.
	StoreUnavailable Reason = "STORE_UNAVAILABLE"
	// The memory of the database is full. The request was not applied. Requests that read, cancel, release or delete still succeed.
	StoreFull Reason = "STORE_FULL"
	// The server has more requests or streams than it can serve in time. The request had no effect. Retry later.
	ServerOverloaded Reason = "SERVER_OVERLOADED"
	// The server is shutting down, or it ends the connection because of its age. Reconnect to reach another instance.
	ServerDraining Reason = "SERVER_DRAINING"
	// The history no longer has all changes since the resume token. Watch without a token.
	WatchExpired Reason = "WATCH_EXPIRED"
	// The process has too many open watches (MAX_WATCHES). Retry later.
	WatchCapacityReached Reason = "WATCH_CAPACITY_REACHED"
	// A field of the request is missing or out of bounds.
	FieldInvalid Reason = "FIELD_INVALID"
	// The request does not follow the protocol or the API definition.
	MessageInvalid Reason = "MESSAGE_INVALID"
	// The message is larger than MAX_BODY_BYTES, or than 262,144 bytes for a batch.
	MessageTooLarge Reason = "MESSAGE_TOO_LARGE"
	// The method does not exist, or the service does not support the kind of call or its compression.
	NotSupported Reason = "NOT_SUPPORTED"
	// The deadline of the request has passed.
	DeadlineExceeded Reason = "DEADLINE_EXCEEDED"
	// The client has disconnected or cancelled the call.
	ClientLeft Reason = "CLIENT_LEFT"
	// The server has a bug, or cannot encode the response. The server log has the details.
	Internal Reason = "INTERNAL"
)
