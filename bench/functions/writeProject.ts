import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Each as short as it can be. `cold1` and on are alike, so that each has a first call of its own. */
const functions: Record<string, string> = {
  hello: `Deno.serve(() => new Response('Hello'))`,
  loop: `Deno.serve(() => { for (;;) {} })`,
  eater: `const kept = []
  Deno.serve(async () => {
    for (;;) { kept.push(Buffer.alloc(8_000_000, 1)); await new Promise((go) => setImmediate(go)) }
  })`,
  heap: `const kept = []
  Deno.serve(() => { for (;;) kept.push(Array.from({ length: 1000 }, () => ({ a: 1 }))) })`,
  crash: `import process from 'node:process'
  Deno.serve(() => process.exit(1))`,
  work: `Deno.serve(() => { const until = performance.now() + 5; while (performance.now() < until); return new Response('done') })`,
  stream: `Deno.serve(() => new Response(new ReadableStream({ pull(c) { c.enqueue(new Uint8Array(65536)) } })))`,
  ...Object.fromEntries(
    Array.from({ length: 6 }, (_, n) => [`cold${n}`, `Deno.serve(() => new Response('Hello'))`]),
  ),
}

/** Linnet's own schema beside functions that behave and misbehave; `remove` deletes the copy. */
export function writeProject(root: string): { dir: string; remove(): void } {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-functions-'))
  for (const part of ['migrations', 'templates']) {
    cpSync(join(root, 'supabase', part), join(dir, part), { recursive: true })
  }
  for (const [name, source] of Object.entries(functions)) {
    mkdirSync(join(dir, 'functions', name), { recursive: true })
    writeFileSync(join(dir, 'functions', name, 'index.ts'), source)
  }
  const names = Object.keys(functions)
  const open = names.map((name) => `[functions.${name}]\nverify_jwt = false\n`).join('')
  writeFileSync(
    join(dir, 'config.toml'),
    `project_id = "bench"\n[edge_runtime]\nworker_idle_ms = 2_000\n[auth.email]\nenable_confirmations = false\n${open}`,
  )
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) }
}
