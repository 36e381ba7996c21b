// The one function of Node.js that the shop calls.
declare module "node:fs" {
  export function readFileSync(file: number, encoding: "utf8"): string;
}
