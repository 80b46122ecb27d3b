/** The files of a new function, by name. `address` is its URL. */
export function functionTemplate(address: string): Record<string, string> {
  return {
    'index.ts': `// Types of the runtime's globals: Deno, EdgeRuntime.
import '@supabase/functions-js/edge-runtime.d.ts'

Deno.serve(async (request) => {
  const { name } = await request.json()
  return Response.json({ message: \`Hello \${name}!\` })
})

/* To try it (the key is the ANON_KEY of "linnet status -o env"):

  curl '${address}' \\
    --header "Authorization: Bearer $ANON_KEY" \\
    --header 'Content-Type: application/json' \\
    --data '{"name":"Linnet"}'

*/
`,
    'deno.json': `{
  "imports": {
    "@supabase/functions-js": "jsr:@supabase/functions-js@^2",
    "@supabase/supabase-js": "npm:@supabase/supabase-js@^2"
  }
}
`,
  }
}

/** The section of a new function in config.toml. */
export function functionSection(name: string): string {
  return `
[functions.${name}]
enabled = true
verify_jwt = true
import_map = "./functions/${name}/deno.json"
# A file with the extension .ts, .tsx, .js, .jsx or .mjs.
entrypoint = "./functions/${name}/index.ts"
# Files that the function can read; * and ** are supported.
# static_files = ["./functions/${name}/*.html"]
`
}
