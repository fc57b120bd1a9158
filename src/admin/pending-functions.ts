import { Code, ConnectError } from "@connectrpc/connect";

function unimplemented(): never {
  throw new ConnectError("This method is not implemented yet.", Code.Unimplemented);
}

/** Methods of AdminService that are in the contract and have no implementation yet. */
export const pendingFunctions = {
  getAccountUsage: unimplemented,
  listTopAccounts: unimplemented,
  listBans: unimplemented,
};
