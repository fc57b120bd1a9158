import type { DescMethod } from "@bufbuild/protobuf";
import { PetService } from "../../../gen/pets/v1/pets_pb.ts";
import { goProgram, goSample } from "./go.ts";
import { javaProgram, javaSample } from "./java.ts";
import { pythonProgram, pythonSample } from "./python.ts";
import type { Sample } from "./sample.ts";
import { typescriptProgram, typescriptSample } from "./typescript.ts";

/** A language that has a client package. */
export interface SampleLanguage {
  readonly sample: (method: DescMethod) => Sample;
  /** Writes a sample as a complete program. */
  readonly program: (sample: Sample) => string;
}

/** The languages of the client packages, by the names that the reference page shows. */
export const sampleLanguages: Readonly<Record<string, SampleLanguage>> = {
  Go: { sample: goSample, program: goProgram },
  Python: { sample: pythonSample, program: pythonProgram },
  Java: { sample: javaSample, program: javaProgram },
  TypeScript: { sample: typescriptSample, program: typescriptProgram },
};

/** Returns whether the client packages have a method. They leave out deprecated services and uploads. */
export function clientsHave(method: DescMethod): boolean {
  return method.parent !== PetService && method.methodKind !== "client_streaming";
}

/** Returns programs that call a method, by language. None if the client packages do not have it. */
export function samplesOf(method: DescMethod): Readonly<Record<string, string>> {
  if (!clientsHave(method)) return {};
  return Object.fromEntries(
    Object.entries(sampleLanguages).map(([name, { sample, program }]) => [
      name,
      program(sample(method)),
    ]),
  );
}
