/** Lines of the log, by their titles in docs/operator/logs.md. */
export const examples: Readonly<Record<string, string>> = {
  "A gRPC call that failed, in the access log":
    '{"level":30,"time":"2026-07-15T10:20:30.402Z","msg":"request","method":"POST","route":"/inventory.v1.InventoryService/UpdateInventory","protocol":"grpc","code":"NOT_FOUND","reason":"PET_NOT_FOUND","complete":true,"ms":1.902,"storeMs":1.21,"bytesIn":12,"bytesOut":0,"accountId":"aaaaaaaaaaaa","keyId":"aaaaaaaaaaaamfay3fq3","client":"192.0.2.7","requestId":"till-3:0042"}',
  "A slow request":
    '{"level":40,"time":"2026-07-15T10:20:31.904Z","msg":"slow request","method":"GET","route":"/v1/inventory","protocol":"http","code":200,"complete":true,"ms":1502.118,"storeMs":3.4,"bytesIn":0,"bytesOut":2400117,"accountId":"aaaaaaaaaaaa","keyId":"aaaaaaaaaaaamfay3fq3","client":"192.0.2.7","requestId":"0f8f1f2e6f0f4b1e9c520f1c1b0e7a55"}',
  "A ban":
    '{"level":40,"time":"2026-07-15T10:20:30.400Z","msg":"key banned","accountId":"aaaaaaaaaaaa","keyId":"aaaaaaaaaaaamfay3fq3","banLevel":1,"until":"2026-07-15T10:21:30.400Z"}',
  "A change by an operator, before it is made":
    '{"level":30,"time":"2026-07-15T10:20:31.650Z","sequence":3,"entry":{"kind":"begin","actor":{"key":"9c0hd2f7wq4mz51k8xva","account":"9c0hd2f7wq4m"},"request":"till-3:0043","method":"admin.v1.AdminService/SetPlan","targets":{"account":"7k2mq0x4v9ab"},"details":{"plan":"PLAN_PRO"}},"msg":"audit entry"}',
  "Requests beyond limits, once a minute":
    '{"level":30,"time":"2026-07-15T10:21:00.000Z","msg":"requests were refused with 429","requests":7012,"reasons":{"RATE_LIMITED":61,"KEY_BANNED":6951},"keys":1,"topKeys":[{"keyId":"aaaaaaaaaaaamfay3fq3","requests":7012}]}',
  "An outage of Redis":
    '{"level":40,"time":"2026-07-15T10:20:30.400Z","msg":"redis lost","server":"10.0.0.5:6379","reason":"connect ECONNREFUSED 10.0.0.5:6379"}\n{"level":40,"time":"2026-07-15T10:20:42.811Z","msg":"redis recovered","server":"10.0.0.5:6379","outageMs":12411}',
  "A stop":
    '{"level":30,"time":"2026-07-15T10:20:30.400Z","msg":"draining","reason":"SIGTERM"}\n{"level":30,"time":"2026-07-15T10:20:31.520Z","msg":"stopped","reason":"SIGTERM","drainMs":1119}',
};
