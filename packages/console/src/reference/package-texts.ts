/** The READMEs of the client packages, by the name of their folder. The page loads this module when it shows one. */
import go from "../../../../clients/go/README.md";
import java from "../../../../clients/java/README.md";
import python from "../../../../clients/python/README.md";
import all from "../../../../clients/README.md";
import typescript from "../../../../clients/typescript/README.md";

export const packageTexts: Readonly<Record<string, string>> = {
  all,
  go,
  java,
  python,
  typescript,
};
