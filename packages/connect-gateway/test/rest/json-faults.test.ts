import { describe, expect, test } from "vitest";
import { InvalidInput } from "../../src/http/invalid-input.ts";
import { SampleSchema } from "../gen/shelf/v1/shelf_pb.ts";
import { httpJson } from "./support/json.ts";

/** Returns the error for the JSON of a sample, as `path: reason`. */
function fault(json: string): string {
  try {
    httpJson.decodeJson(SampleSchema, json);
  } catch (error) {
    if (error instanceof InvalidInput) return `${error.path}: ${error.reason}`;
    throw error;
  }
  return "no fault";
}

describe("depth", () => {
  const nested = (levels: number) =>
    `${'{"aSample":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
  const lists = (levels: number) => `{"aValue":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;

  test("32 levels are read, 33 are rejected", () => {
    expect(fault(nested(32))).toBe("no fault");
    expect(fault(nested(33))).toMatch(/: must have at most 32 levels of nesting$/);
    expect(fault(lists(32))).toBe("no fault");
    expect(fault(lists(33))).toMatch(/: must have at most 32 levels of nesting$/);
  });

  test("decreases after each object and array", () => {
    expect(fault(`{"manySamples":[${Array(100).fill("{}").join()}]}`)).toBe("no fault");
  });

  test("a megabyte of brackets is rejected without reading it all", () => {
    expect(fault(lists(1_000_000))).toMatch(/levels of nesting/);
  });
});
