import { PassThrough } from "node:stream";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { PetService } from "../../gen/pets/v1/pets_pb.ts";
import { StoreService } from "../../gen/store/v1/store_pb.ts";
import { UsageService } from "../../gen/usage/v1/usage_pb.ts";
import { createProgram } from "../../src/cli/program.ts";

/** The methods of the contract that the docs list. */
export const methods = [
  InventoryService,
  StoreService,
  UsageService,
  PetService,
  AdminService,
].flatMap((service) => service.methods);

/** The command line, to read its commands and options. */
export const program = createProgram({
  env: {},
  stdin: new PassThrough(),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  showsProgress: false,
});
