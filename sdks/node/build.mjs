// Says that the files of dist/cjs are CommonJS: the package itself is made of ES modules.
import { writeFileSync } from "node:fs";

writeFileSync(new URL("dist/cjs/package.json", import.meta.url), '{ "type": "commonjs" }\n');
