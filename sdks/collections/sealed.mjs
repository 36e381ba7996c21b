// Runs the script of every request as Postman and Bruno do, with the variables on standard input,
// and prints what each one would send.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const [, , program] = process.argv;
const given = JSON.parse(readFileSync(0, "utf8"));
const fill = (text, values) => text.replace(/{{(\w+)}}/g, (_, name) => values.get(name) ?? "");

function* postman() {
  const file = new URL("hundi.postman_collection.json", import.meta.url);
  for (const folder of JSON.parse(readFileSync(file, "utf8")).item) {
    for (const { name, event, request } of folder.item) {
      const { exec } = event.find((each) => each.listen === "prerequest").script;
      yield { name, url: request.url, script: exec.join("\n"), outer: request.body.urlencoded };
    }
  }
}

function* bruno() {
  const folder = new URL("bruno/", import.meta.url);
  for (const file of readdirSync(folder).filter((each) => each.endsWith(".bru"))) {
    const text = readFileSync(new URL(file, folder), "utf8");
    const block = (name) => text.split(`${name} {\n`)[1].split("\n}\n")[0];
    const pairs = block("body:form-urlencoded").trim().split("\n");
    const outer = pairs.map((line) => line.trim().split(": ")).map(([key, value]) => ({ key, value }));
    const [name, url] = [/name: (.*)/.exec(block("meta"))[1], /url: (.*)/.exec(block("post"))[1]];
    yield { name, url, script: block("script:pre-request"), outer };
  }
}

for (const { name, url, script, outer } of { postman, bruno }[program]()) {
  const values = new Map(Object.entries(given));
  const store = { get: (key) => values.get(key), set: (key, value) => values.set(key, value) };
  const pm = { variables: store, collectionVariables: store };
  const bru = { getVar: store.get, getEnvVar: store.get, setVar: store.set };
  new Function("require", "pm", "bru", script)(require, pm, bru);
  const fields = Object.fromEntries(outer.map(({ key, value }) => [key, fill(value, values)]));
  console.log(JSON.stringify({ name, url: fill(url, values), fields }));
}
