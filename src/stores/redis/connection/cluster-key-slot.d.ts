declare module "cluster-key-slot" {
  /** Returns the slot of a key in a Redis Cluster: 0 to 16,383. Only the hash tag counts, if the key has one. */
  const calculateSlot: (key: string) => number;
  export = calculateSlot;
}
