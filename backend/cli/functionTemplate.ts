/** The files of a new function, by name. `address` is where it will answer. */
export function functionTemplate(address: string): Record<string, string> {
  return {
    'index.ts': `// Types of what the runtime gives: Deno, EdgeRuntime.
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

/** What config.toml says of a new function. */
export function functionSection(name: string): string {
  return `
[functions.${name}]
enabled = true
verify_jwt = true
import_map = "./functions/${name}/deno.json"
# It may end in .ts, .tsx, .js, .jsx or .mjs.
entrypoint = "./functions/${name}/index.ts"
# Files that the function may read; * and ** are understood.
# static_files = ["./functions/${name}/*.html"]
`
}
